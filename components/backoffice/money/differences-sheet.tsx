'use client';

import { TextLink } from '@/components/backoffice/text-link';
import { Money, Quantity } from '@/components/kit/data/amounts';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import type { components } from '@/lib/client/schema';
import { formatCount } from '@/lib/format/quantity';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

type Difference = components['schemas']['ReconciliationReport']['differences'][number];

const kinds: Record<Difference['kind'], string> = {
  usage: 'Usage differs from the resource history',
  count: 'Count differs from the events',
  spend: 'Live spend differs from usage',
  future: 'Meter is dated in the future',
  invoice: 'Invoice quantity differs from usage',
  missing: 'Month with usage has no invoice',
  amount: 'Invoice amount is wrong',
  credit: 'Credit balance differs from its entries',
};

/** A value with its unit. */
function Value({ value, unit }: { value: number; unit: Difference['unit'] }) {
  if (unit === 'usd') return <Money usd={value} />;
  const words = { quantity_hours: 'unit-hours', count: 'total', seconds: value === 1 ? 'second' : 'seconds' };
  return <Quantity value={value} unit={words[unit]} />;
}

/** All that one check found. */
export function DifferencesSheet({ id, close }: { id: string; close: () => void }) {
  const { api } = useBackOffice();
  const query = api.useQuery('get', '/admin/api/v1/billing/reconciliations/{id}', { params: { path: { id } } });
  return (
    <Dialog open onOpenChange={(open) => open || close()} form="sheet" title="Check result">
      <Loaded query={query} what="The check" skeleton={<Skeleton className="h-60 w-full" />}>
        {({ period_from, period_to, resources, differing, differences }) => (
          <div className="space-y-5 text-sm">
            <PropertyList
              items={[
                ['From', <Time key="from" at={period_from} form="exact" />],
                ['To', <Time key="to" at={period_to} form="exact" />],
                ['Compared', formatCount(resources, 'resource')],
                ['Found', differing === 0 ? 'No difference' : formatCount(differing, 'difference')],
              ]}
            />
            {differences.length > 0 && (
              <ul aria-label="Differences" className="divide-y rounded-lg border">
                {differences.map((difference) => (
                  <Found key={keyOf(difference)} {...difference} />
                ))}
              </ul>
            )}
            {differing > differences.length && (
              <p className="text-ink-muted text-xs">Showing the first {differences.length}.</p>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

const keyOf = ({ kind, tenant_id, resource, month, metric, expected, billed }: Difference) =>
  [kind, tenant_id, resource?.id, month, metric, expected, billed].join(' ');

function Found({ kind, tenant_id, resource, month, metric, expected, billed, unit }: Difference) {
  const about = [month && formatMonth(month), metric?.replaceAll('_', ' ')].filter(Boolean).join(', ');
  return (
    <li className="space-y-1 px-3 py-2.5">
      <p className="font-medium">{kinds[kind]}</p>
      <p className="text-ink-muted">
        {about && `${about}: `}
        {kind === 'future' ? (
          <>
            <Value value={billed} unit={unit} /> ahead
          </>
        ) : (
          <>
            {kind === 'credit' ? 'balance' : 'billed'} <Value value={billed} unit={unit} />, expected{' '}
            <Value value={expected} unit={unit} />
          </>
        )}
      </p>
      <p className="flex flex-wrap items-center gap-x-3 text-xs">
        <TextLink href={adminPaths.tenant(tenant_id)}>The tenant</TextLink>
        {resource && (
          <>
            <span>
              {resource.type} {resource.name}
            </span>
            <Id value={resource.id} label="resource ID" />
          </>
        )}
      </p>
    </li>
  );
}
