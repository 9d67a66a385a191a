'use client';

import { LayoutGrid } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NavigationGroup } from '@/components/kit/page/navigation';
import { Shell } from '@/components/shell/shell';
import { galleryPath } from '@/lib/paths';
import { pieces } from './pieces';
import { ThemeSwitch } from './theme-switch';

const groups: NavigationGroup[] = [
  { entries: [{ label: 'All components', icon: LayoutGrid, href: () => galleryPath() }] },
  {
    label: 'Components',
    entries: pieces.map(({ name, label, icon }) => ({ label, icon, href: () => galleryPath(name) })),
  },
];

const commands = { groups };

/** Shows the gallery in the portal's own frame, as components appear in use. */
export function GalleryShell({ children }: { children: ReactNode }) {
  return (
    <Shell
      realm="portal"
      groups={groups}
      project=""
      home={galleryPath()}
      commands={commands}
      userMenu={<ThemeSwitch />}
    >
      {children}
    </Shell>
  );
}
