import { BookText } from 'lucide-react';
import { Money } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { CreateLink } from '@/components/kit/page/create-link';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { kindOf } from '@/components/shell/places';
import type { paths as api } from '@/lib/client/schema';
import { formatCount } from '@/lib/format/quantity';

export type Service =
  api['/api/v1/services/services']['get']['responses']['200']['content']['application/json'][number];
export type Rate = { metric: string; name: string; per: string; unit_price_usd: string | null };

/** A service: what it is for, its prices, its use in the project, and the way to a new resource. */
export function ServiceCard({
  service,
  rates,
  project,
}: {
  service: Service;
  rates: readonly Rate[];
  project: string;
}) {
  const { name, description, status, status_reason, resources, month_to_date_usd, docs_url } = service;
  const kinds = service.resource_types.flatMap((type) => kindOf(type) ?? []);
  const [first] = kinds;
  const create = kinds.find((kind) => kind.create)?.create;
  const priced = rates.filter((rate) => rate.unit_price_usd !== null && service.metrics.includes(rate.metric));
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name} <StatusBadge status={status} reason={status_reason} />
        </span>
      }
      description={description}
      className="flex flex-col"
    >
      {status_reason && <p className="mb-3 text-critical-ink text-sm">{status_reason}</p>}
      <dl className="space-y-1.5 text-sm">
        {priced.map((rate) => (
          <div key={rate.metric} className="flex justify-between gap-3">
            <dt className="text-ink-muted">{rate.name}</dt>
            <dd className="tabular-nums">
              ${rate.unit_price_usd} per {rate.per}
            </dd>
          </div>
        ))}
        {priced.length === 0 && (
          <div className="flex justify-between gap-3">
            <dt className="text-ink-muted">Price</dt>
            <dd>Free of charge</dd>
          </div>
        )}
        {resources > 0 && (
          <div className="flex justify-between gap-3 border-t pt-1.5">
            <dt>{formatCount(resources, 'resource')}</dt>
            <dd>
              <Money usd={month_to_date_usd} /> this month
            </dd>
          </div>
        )}
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        {create && status !== 'unavailable' && (
          <CreateLink label={create.label} href={create.href(project)} operation={create.operation} />
        )}
        {first && (resources > 0 || !create) && (
          <ButtonLink href={first.href(project)}>View {first.nouns ?? `${first.noun}s`}</ButtonLink>
        )}
        <ButtonLink variant="quiet" href={new URL(docs_url).pathname}>
          <BookText aria-hidden="true" /> Reference
        </ButtonLink>
      </div>
    </Card>
  );
}
