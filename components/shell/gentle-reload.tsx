'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { notify } from '@/components/kit/ui/notify';
import { useLiveState } from '@/lib/client/live-updates';

/** Loads a new version of the server with the next page that is opened, when there is no input to lose. */
export function GentleReload() {
  const { outdated } = useLiveState();
  const pathname = usePathname();
  const cameFrom = useRef(pathname);
  useEffect(() => {
    if (outdated) {
      void notify('info', 'A new version is available', {
        id: 'new-version',
        description: 'It loads with the next page you open.',
        action: { label: 'Reload now', onClick: () => window.location.reload() },
      });
    }
  }, [outdated]);
  useEffect(() => {
    if (cameFrom.current === pathname) return;
    cameFrom.current = pathname;
    if (outdated) window.location.reload();
  }, [pathname, outdated]);
  return null;
}
