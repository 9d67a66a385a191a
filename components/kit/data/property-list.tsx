import { Fragment, type ReactNode } from 'react';

/** What is known about one thing, as terms and values. An entry that is undefined is left out. */
export function PropertyList({ items }: { items: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-2.5 text-sm max-sm:grid-cols-1 max-sm:gap-y-0.5">
      {items
        .filter(([, value]) => value !== undefined)
        .map(([term, value]) => (
          <Fragment key={term}>
            <dt className="text-ink-muted max-sm:text-xs">{term}</dt>
            <dd className="flex min-h-5 min-w-0 flex-wrap items-center gap-1.5 wrap-anywhere *:min-w-0 max-sm:mb-2">
              {value ?? '–'}
            </dd>
          </Fragment>
        ))}
    </dl>
  );
}
