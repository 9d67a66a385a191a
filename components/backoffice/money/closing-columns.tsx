import { TextLink } from '@/components/backoffice/text-link';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { formatNumber } from '@/lib/format/number';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';
import { Amount } from './amount';
import { MonthState } from './month-state';
import type { MonthClosing } from './months';

const column = columnsOf<MonthClosing>();

const right = { align: 'right' } as const;

/** Months, what they earned and how their invoices stand. */
export const closingColumns = [
  column.accessor('month', {
    header: 'Month',
    cell: ({ getValue }) => <span className="whitespace-nowrap font-medium">{formatMonth(getValue())}</span>,
  }),
  column.accessor('state', { header: 'State', cell: ({ getValue }) => <MonthState state={getValue()} /> }),
  column.accessor('closes_at', {
    header: 'Closing',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => <Closing {...original} />,
  }),
  column.accessor('projects_left', {
    header: 'Tenants remaining',
    meta: { ...right, from: 'xl' },
    cell: ({ getValue }) => (getValue() === 0 ? <span className="text-ink-subtle">–</span> : formatNumber(getValue())),
  }),
  column.accessor('invoices', {
    header: 'Invoices',
    meta: right,
    cell: ({ row: { original } }) =>
      original.invoices === 0 ? (
        <span className="text-ink-subtle">–</span>
      ) : (
        <TextLink href={adminPaths.invoices({ month: original.month })}>{formatNumber(original.invoices)}</TextLink>
      ),
  }),
  column.accessor('subtotal_usd', {
    header: 'Invoiced',
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('credit_usd', {
    header: 'From credit',
    meta: { ...right, from: 'xl' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('paid_usd', {
    header: 'By card',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('open_usd', {
    header: 'Open',
    meta: right,
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('failed', {
    header: 'Failed',
    meta: right,
    cell: ({ row: { original } }) =>
      original.failed === 0 ? (
        <span className="text-ink-subtle">–</span>
      ) : (
        <TextLink href={adminPaths.invoices({ month: original.month, status: 'failed' })}>
          {formatNumber(original.failed)}
        </TextLink>
      ),
  }),
];

/** When it is closed, or was. */
function Closing({ state, closes_at, closed_at }: MonthClosing) {
  if (state === 'closed') return <Time at={closed_at} none="No invoices" />;
  return state === 'due' ? <span className="text-ink-muted">Now</span> : <Time at={closes_at} />;
}
