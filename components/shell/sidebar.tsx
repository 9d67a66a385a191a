'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { findPlace, type NavigationGroup } from '@/components/kit/page/navigation';

interface SidebarProps {
  groups: readonly NavigationGroup[];
  project: string;
  /** Above the groups: the brand, and where one is. */
  head: ReactNode;
}

/** The pages, by service. The same list stands at the left of wide screens and in the drawer of narrow ones. */
export function Sidebar({ groups, project, head }: SidebarProps) {
  const pathname = usePathname();
  const here = findPlace(groups, project, pathname)?.entry;
  return (
    <nav aria-label="Main" className="flex h-full flex-col">
      {head}
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 pt-3 pb-6">
        {groups.map((group) => (
          <div key={group.label ?? ''} className="mb-4 last:mb-0">
            {group.label && <h2 className="mb-1 px-2 font-medium text-ink-subtle text-xs">{group.label}</h2>}
            <ul className="space-y-px">
              {group.entries.map((entry) => {
                const { label, icon: Icon, href } = entry;
                const current = entry === here;
                return (
                  <li key={label}>
                    <Link
                      href={href(project)}
                      aria-current={current ? 'page' : undefined}
                      className={clsx(
                        'flex h-7.5 items-center gap-2.5 rounded-md px-2 text-sm transition-colors duration-75 pointer-coarse:h-10',
                        current
                          ? 'bg-accent-soft font-medium text-ink'
                          : 'text-ink-muted hover:bg-hover hover:text-ink',
                      )}
                    >
                      <Icon
                        className={clsx('size-4 shrink-0', current ? 'text-accent' : 'text-ink-subtle')}
                        aria-hidden="true"
                      />
                      {label}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}
