'use client';

import { Leaf } from 'lucide-react';
import { Money } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { listRunningCosts } from '@/lib/client/operations/billing';
import { formatUnits } from '@/lib/format/quantity';
import { ResourceLink } from './resource-link';

type Running = Row<'/api/v1/billing/running'>;

const column = columnsOf<Running>();
const columns = [
  column.accessor('resource', {
    header: 'Resource',
    cell: ({ getValue }) => <ResourceLink resource={getValue()} />,
  }),
  column.accessor('metrics', {
    header: 'Billed for',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <span className="text-ink-muted">{getValue().map(held).join(', ')}</span>,
  }),
  column.accessor('since', {
    header: 'Since',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('usd_per_hour', {
    header: 'Per hour',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Price usd={getValue()} />,
  }),
  column.accessor('usd_per_month', {
    header: 'Per month',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Price usd={getValue()} />,
  }),
];

function Price({ usd }: { usd: number | null }) {
  return usd === null ? <span className="text-ink-subtle">No price</span> : <Money usd={usd} />;
}

/** `4 vCPUs`, `8 GB memory` */
function held({ name, quantity, unit }: Running['metrics'][number]): string {
  const amount = formatUnits(quantity, unit);
  if (amount.toLowerCase().includes(name.toLowerCase())) return amount;
  // Names of products keep their capitals.
  return `${amount} ${/[A-Z]/.test(name.slice(1)) ? name : name.toLowerCase()}`;
}

/** Running costs, the most expensive first, each leading to where it can be changed. */
export function RunningCosts() {
  return (
    <section aria-labelledby="running-costs">
      <h2 id="running-costs" className="mb-3 font-semibold text-base tracking-[-0.006em]">
        Running costs
      </h2>
      <ResourceTable
        of={{ icon: Leaf, noun: 'resource' }}
        list={listRunningCosts}
        columns={columns}
        rowId={({ resource: { type, id } }) => `${type} ${id}`}
        rowName={({ resource }) => resource.name}
        searchable={false}
        emptyTitle="No running costs"
        empty="Instances are billed while they run; disks, snapshots and volumes while they exist. Billed resources are listed here, most expensive first."
      />
    </section>
  );
}
