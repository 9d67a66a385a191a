import { Mail, Webhook } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { formatMoney } from '@/lib/format/money';

type Delivery = Row<'/api/v1/billing/alerts'>;

const column = columnsOf<Delivery>();

/** Deliveries of budget alerts. */
export const alertColumns = [
  column.accessor('alert', { header: 'Alert', cell: ({ getValue }) => <Alert alert={getValue()} /> }),
  column.accessor('target', {
    header: 'Recipient',
    cell: ({ row: { original } }) => <Target {...original} />,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.error} />,
  }),
  column.accessor('attempts', {
    header: 'Attempts',
    meta: { align: 'right', from: 'lg' },
    cell: ({ row: { original } }) => <Tries {...original} />,
  }),
  column.accessor('created_at', {
    header: 'Sent',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function Alert({ alert }: Pick<Delivery, 'alert'>) {
  if (!alert) return <span className="text-ink-muted">Test</span>;
  return (
    <span>
      <span className="font-medium">
        {alert.threshold_percent}% of {formatMoney(alert.limit_usd)}
      </span>
      {alert.frozen && <span className="text-caution-ink"> and freeze</span>}
      <span className="block text-ink-muted text-xs">
        crossed <Time at={alert.crossed_at} form="moment" />
      </span>
    </span>
  );
}

function Target({ channel, target }: Pick<Delivery, 'channel' | 'target'>) {
  const Icon = channel === 'email' ? Mail : Webhook;
  return (
    <span className="flex max-w-72 items-center gap-2 xl:max-w-md">
      <Icon className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
      <span className="sr-only">{channel === 'email' ? 'E-mail' : 'Webhook'}</span>
      <span className="truncate" title={target}>
        {target}
      </span>
    </span>
  );
}

function Tries({ attempts, next_attempt_at }: Pick<Delivery, 'attempts' | 'next_attempt_at'>) {
  return (
    <>
      {attempts}
      {attempts > 0 && next_attempt_at && (
        <span className="block text-ink-muted text-xs">
          Next <Time at={next_attempt_at} />
        </span>
      )}
    </>
  );
}
