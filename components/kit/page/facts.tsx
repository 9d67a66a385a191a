import type { ReactNode } from 'react';

/** A key fact of a resource: "Size", "100 GB". */
export type Fact = readonly [term: string, value: ReactNode];

/** The key facts below a title. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="mt-1.5 flex flex-wrap gap-x-6 gap-y-1 text-sm">
      {facts.map(([term, value]) => (
        <div key={term} className="flex min-w-0 items-baseline gap-1.5">
          <dt className="shrink-0 text-ink-muted text-xs">{term}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
