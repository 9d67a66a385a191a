'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import { formatRate } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { categoryNames } from '@/lib/money/metering/categories';

type Item = components['schemas']['RateCard']['items'][number];

const billed: Record<Item['basis'], string> = {
  hour: 'Per second, while running',
  month: 'Per second, while it exists',
  count: 'Per use',
};

/** What everything costs, and what it will cost from a coming month on. */
export default function PricingPage() {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/billing/pricing');
  return (
    <Page title="Rate card" description="Prices apply to whole months (UTC) and are never changed afterwards.">
      <Loaded query={query} what="The rate card" skeleton={<Skeleton className="h-120 w-full rounded-lg" />}>
        {({ items }) => (
          <div className="space-y-6">
            {groups(items).map(([category, own]) => (
              <Card key={category} title={categoryNames[category]} flush>
                <Rates category={categoryNames[category]} items={own} />
              </Card>
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function groups(items: readonly Item[]): [Item['category'], Item[]][] {
  const found = new Map<Item['category'], Item[]>();
  for (const item of items) found.set(item.category, [...(found.get(item.category) ?? []), item]);
  return [...found];
}

function Rates({ category, items }: { category: string; items: readonly Item[] }) {
  return (
    <table className="w-full table-fixed text-sm tabular-nums">
      <caption className="sr-only">Prices of {category}</caption>
      <thead>
        <tr className="text-left text-ink-muted text-xs [&>th]:border-b [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
          <th scope="col">Item</th>
          <th scope="col" className="w-1/3 max-md:hidden">
            Billed
          </th>
          <th scope="col" className="text-right">
            Price
          </th>
          <th scope="col" className="w-28 text-right max-sm:hidden">
            Since
          </th>
        </tr>
      </thead>
      <tbody className="divide-y">
        {items.map((item) => (
          <tr key={item.metric} className="[&>*]:px-4 [&>*]:py-2.5">
            <th scope="row" className="text-left font-medium">
              {item.name}
            </th>
            <td className="text-ink-muted max-md:hidden">{billed[item.basis]}</td>
            <td className="text-right">
              {item.unit_price_usd === null ? (
                <span className="text-ink-muted">Metered, free of charge</span>
              ) : (
                formatRate(item.unit_price_usd, item.per)
              )}
              {item.next && (
                <span className="block text-ink-muted text-xs">
                  {formatRate(item.next.unit_price_usd, item.per)} from {formatMonth(item.next.effective_from)}
                </span>
              )}
            </td>
            <td className="text-right text-ink-muted max-sm:hidden">
              {item.effective_from === null ? '–' : formatMonth(item.effective_from)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
