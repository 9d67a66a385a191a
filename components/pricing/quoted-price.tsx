'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import { formatMoney } from '@/lib/format/money';
import { formatUnits } from '@/lib/format/quantity';

type Quote = components['schemas']['Quote'];

/** A request as it would be sent, to be priced by the API. */
export interface QuotedCall {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  body: object;
}

interface QuotedPriceProps {
  /** Undefined while the form is incomplete. */
  call: QuotedCall | undefined;
  /** What to fill in to see a price. */
  missing: string;
  /** When it is billed. */
  billed: string;
  /** Without frames of its own, inside a dialog. */
  plain?: boolean;
}

/** What a request will cost and use of the quota, as `POST /billing/quote` answers; a refusal is shown in its words. */
export function QuotedPrice({ call, missing, billed, plain = false }: QuotedPriceProps) {
  const { client, project } = useProject();
  const query = useQuery({
    queryKey: ['get', '/api/v1/billing/overview', 'quote', project.slug, call],
    enabled: call !== undefined,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await client.POST('/api/v1/billing/quote', {
        body: call ?? { method: 'POST', path: '/' },
        signal,
      });
      return data;
    },
  });
  const price = call ? (
    <Loaded query={query} what="The price" skeleton={<Skeleton className="h-36 w-full" />}>
      {(quote) => <Price quote={quote} billed={billed} />}
    </Loaded>
  ) : (
    <p className="text-ink-muted text-sm">{missing}</p>
  );
  const quota = call && query.data && query.data.quota.length > 0 && <Quota quota={query.data.quota} />;
  if (plain) {
    return (
      <section aria-label="Price" className="space-y-4 rounded-lg border bg-surface p-4">
        {price}
        {quota}
      </section>
    );
  }
  return (
    <>
      <Card title="Price" aria-label="Price">
        {price}
      </Card>
      {quota && (
        <Card title="Quota" description="What this uses.">
          {quota}
        </Card>
      )}
    </>
  );
}

function Price({ quote, billed }: { quote: Quote; billed: string }) {
  const { monthly_usd, hourly_usd, lines, frozen } = quote;
  return (
    <div className="space-y-3 text-sm" aria-live="polite">
      <p className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
        <data value={monthly_usd} className="font-semibold text-xl tracking-[-0.017em]">
          {formatMoney(monthly_usd)}
        </data>{' '}
        <span className="text-ink-muted">per month</span>{' '}
        <data value={hourly_usd} className="ml-auto">
          {formatMoney(hourly_usd)} / hour
        </data>
      </p>
      {lines.length > 0 && (
        <dl className="space-y-1.5 border-t pt-3">
          {lines.map(({ name, quantity, unit, unit_price_usd, monthly_usd: usd }) => (
            <div key={name} className="flex items-baseline justify-between gap-3">
              <dt className="min-w-0">
                {name === unit ? formatUnits(quantity, unit) : `${name}, ${formatUnits(quantity, unit)}`}
              </dt>
              <dd className="whitespace-nowrap tabular-nums">
                {unit_price_usd === null ? <span className="text-ink-muted">free of charge</span> : formatMoney(usd)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="text-pretty text-ink-muted text-xs">{billed}</p>
      {frozen && <p className="text-caution-ink text-xs">The budget freeze refuses this now.</p>}
    </div>
  );
}

const labels: Partial<Record<Quote['quota'][number]['dimension'], string>> = {
  databases: 'Databases',
  vcpus: 'vCPUs',
  ram_gb: 'Memory',
};

function Quota({ quota }: Pick<Quote, 'quota'>) {
  const { api } = useProject();
  const { data } = api.useQuery('get', '/api/v1/tenant/quota');
  if (!data) return <Skeleton className="h-10 w-full" />;
  return (
    <div className="space-y-5">
      {quota.map(({ dimension, claim }) => (
        <QuotaBar
          key={dimension}
          label={labels[dimension] ?? dimension.replaceAll('_', ' ')}
          {...data[dimension]}
          claim={claim}
        />
      ))}
    </div>
  );
}
