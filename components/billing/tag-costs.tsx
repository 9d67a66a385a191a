'use client';

import { useState } from 'react';
import { Money } from '@/components/kit/data/amounts';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Select } from '@/components/kit/ui/select';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** What the month has cost by the values of one tag. Absent while the project has no tags. */
export function TagCosts() {
  const { api } = useProject();
  const { data: tags = [] } = api.useQuery('get', '/api/v1/inventory/tags');
  const keys = [...new Set(tags.map(({ key }) => key))];
  const [chosen, choose] = useState<string>();
  const key = chosen !== undefined && keys.includes(chosen) ? chosen : keys[0];
  if (key === undefined) return null;
  return (
    <Card
      title="By tag"
      description="This month, by the tags that resources have now."
      actions={
        <Select
          value={key}
          onValueChange={choose}
          aria-label="Tag"
          options={keys.map((value) => ({ value, label: value }))}
        />
      }
    >
      <Values tag={key} />
    </Card>
  );
}

function Values({ tag }: { tag: string }) {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/billing/breakdown', { params: { query: { group_by: `tag:${tag}` } } });
  return (
    <Loaded query={query} what="The costs" skeleton={<Skeleton className="h-24 w-full" />}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-ink-muted text-sm">No charges this month.</p>
        ) : (
          <ul className="space-y-2 text-sm">
            {items.map(({ key, name, tag, amount_usd }) => (
              <li key={key} className="flex items-baseline justify-between gap-3">
                <span className="wrap-anywhere font-medium">{tag?.value === '' ? 'No value' : name}</span>
                {amount_usd === null ? <span className="text-ink-subtle">No price</span> : <Money usd={amount_usd} />}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
