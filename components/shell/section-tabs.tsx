'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { findPlace, type NavigationGroup } from '@/components/kit/page/navigation';

/** Above a page that shares its entry of the navigation with others: the way to them. */
export function SectionTabs({ groups, project }: { groups: readonly NavigationGroup[]; project: string }) {
  const pathname = usePathname();
  const place = findPlace(groups, project, pathname);
  if (!place?.entry.tabs || place.page.href(project) !== pathname) return null;
  return (
    <nav
      aria-label={place.entry.label}
      // As wide as the page below.
      className="mx-auto w-full max-w-[88rem] px-4 pt-2 sm:px-6 lg:px-8 group-has-[[data-full]]/frame:max-w-none"
    >
      <ul className="flex gap-5 overflow-x-auto border-b">
        {place.entry.tabs.map((page) => (
          <li key={page.label}>
            <Link
              href={page.href(project)}
              aria-current={page === place.page ? 'page' : undefined}
              className={clsx(
                'block whitespace-nowrap border-b-2 px-0.5 py-2 font-medium text-sm',
                page === place.page ? 'border-accent text-ink' : 'border-transparent text-ink-muted hover:text-ink',
              )}
            >
              {page.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
