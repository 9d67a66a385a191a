'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { findPlace, type NavigationGroup } from '@/components/kit/page/navigation';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { isShortcut } from '@/lib/client/shortcuts';
import { pageShortcuts } from './shortcut-keys';

const ShortcutsDialog = lazyComponent(() => import('./shortcuts-dialog').then((module) => module.ShortcutsDialog));

/** How long `g` waits for its letter: time to look for the key, too short to be forgotten. */
const SEQUENCE_MS = 1500;

/** Single keys: `?` lists them, `g` and a letter open a page, `c` creates on a list. */
export function Shortcuts({ groups, project }: { groups: readonly NavigationGroup[]; project: string }) {
  const router = useRouter();
  const pathname = usePathname();
  const refusal = useRefusal();
  const [listed, setListed] = useState(false);
  const going = useRef(0);

  useEffect(() => {
    const create = findPlace(groups, project, pathname)?.page;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isShortcut(event)) return;
      const { key } = event;
      const page = Date.now() < going.current && pageShortcuts(groups, project).find(({ letter }) => letter === key);
      going.current = 0;
      if (page) router.push(page.href);
      else if (key === '?') setListed(true);
      else if (key === 'g') going.current = Date.now() + SEQUENCE_MS;
      else if (key === 'c' && create?.create && create.href(project) === pathname && !refusal(create.create.operation))
        router.push(create.create.href(project));
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [groups, project, pathname, refusal, router]);

  return listed && <ShortcutsDialog pages={pageShortcuts(groups, project)} close={() => setListed(false)} />;
}
