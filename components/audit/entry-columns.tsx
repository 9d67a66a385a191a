import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Button } from '@/components/kit/ui/button';
import type { Row } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { actorTypeLabel } from './words';

type Entry = Row<'/api/v1/audit'>;

/** Columns of audit log tables; `show` opens the details of an entry. */
export function entryColumns<Shown extends Entry>(show: (entry: Shown) => void) {
  const column = columnsOf<Entry & Shown>();
  return {
    at: column.accessor(({ at }) => at, {
      id: 'at',
      header: 'Time',
      cell: ({ row: { original } }) => <Time at={original.at} />,
    }),
    who: column.accessor(({ actor_name }) => actor_name, {
      id: 'actor_name',
      header: 'Actor',
      cell: ({ row: { original } }) => (
        <span>
          <span className="font-medium">{original.actor_name}</span>{' '}
          <span className="whitespace-nowrap text-ink-muted text-xs">{actorTypeLabel(original.actor_type)}</span>
        </span>
      ),
    }),
    action: column.accessor(({ action }) => action, {
      id: 'action',
      header: 'Action',
      cell: ({ row: { original } }) => (
        <Button variant="quiet" size="sm" className="-mx-2 font-mono" onClick={() => show(original)}>
          {original.action}
        </Button>
      ),
    }),
    resource: column.accessor(({ resource_name }) => resource_name, {
      id: 'resource_name',
      header: 'Resource',
      meta: { from: 'md' },
      cell: ({ row: { original } }) => original.resource_name ?? <span className="text-ink-subtle">–</span>,
    }),
    result: column.accessor(({ result }) => result, {
      id: 'result',
      header: 'Result',
      cell: ({ row: { original } }) => (
        <span className="inline-flex items-center gap-1.5">
          <StatusBadge status={original.result} />
          {original.count > 1 && <Times count={original.count} />}
        </span>
      ),
    }),
    address: column.accessor(({ address }) => address, {
      id: 'address',
      header: 'Source IP',
      meta: { from: 'lg' },
      cell: ({ row: { original } }) => <span className="font-mono text-xs">{original.address ?? '–'}</span>,
    }),
  };
}

/** Number of events that the entry stands for. */
function Times({ count }: { count: number }) {
  return (
    <span className="whitespace-nowrap text-ink-muted text-xs tabular-nums">
      <span aria-hidden>×</span> {formatNumber(count)}
      <span className="sr-only"> times</span>
    </span>
  );
}
