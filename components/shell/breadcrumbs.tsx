'use client';

import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { Fragment } from 'react';
import { findPlace, type NavigationGroup } from '@/components/kit/page/navigation';
import { type Crumb, useCrumbs } from '@/components/kit/page/place';

/** The way from the navigation to this page. What the navigation knows is there at once, the page adds the rest. */
export function Breadcrumbs({ groups, project }: { groups: readonly NavigationGroup[]; project: string }) {
  const pathname = usePathname();
  const added = useCrumbs();
  const place = findPlace(groups, project, pathname);
  const href = place?.page.href(project);
  const trail: Crumb[] = [];
  if (place?.group.label && place.group.label !== place.page.label) trail.push({ label: place.group.label });
  if (place && href) trail.push(href === pathname ? { label: place.page.label } : { label: place.page.label, href });
  trail.push(...(href === pathname ? [] : added));

  return (
    <nav aria-label="Breadcrumbs" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1.5 text-sm">
        {trail.map((crumb, position) => {
          const last = position === trail.length - 1;
          return (
            <Fragment key={`${crumb.href ?? ''}#${crumb.label}`}>
              {position > 0 && (
                <ChevronRight className="size-3.5 shrink-0 text-ink-subtle max-sm:hidden" aria-hidden="true" />
              )}
              <li className={clsx('min-w-0 truncate', last ? 'font-medium' : 'shrink-0 text-ink-muted max-sm:hidden')}>
                {crumb.href && !last ? (
                  <Link href={crumb.href} className="rounded-sm hover:text-ink hover:underline">
                    {crumb.label}
                  </Link>
                ) : (
                  <span aria-current={last ? 'page' : undefined}>{crumb.label}</span>
                )}
              </li>
            </Fragment>
          );
        })}
      </ol>
    </nav>
  );
}
