'use client';

import { CalendarCheck } from 'lucide-react';
import { Amount } from '@/components/backoffice/money/amount';
import { MonthState } from '@/components/backoffice/money/month-state';
import { type MonthClosing, useClosings } from '@/components/backoffice/money/months';
import { TextLink } from '@/components/backoffice/text-link';
import { Time } from '@/components/data/time';
import { EmptyState } from '@/components/page/empty-state';
import { Page } from '@/components/page/page';
import { columnsOf, DataTable } from '@/components/table/data-table';
import { useTableState } from '@/components/table/table-state';
import { keyedBy } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

const column = columnsOf<MonthClosing & { id: string }>();
const right = { align: 'right' } as const;
const columns = [
  column.accessor('month', {
    header: 'Month',
    cell: ({ getValue }) => <span className="whitespace-nowrap font-medium">{formatMonth(getValue())}</span>,
  }),
  column.accessor('state', { header: 'State', cell: ({ getValue }) => <MonthState state={getValue()} /> }),
  column.accessor('closes_at', {
    header: 'Closes',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('projects_left', {
    header: 'Tenants left',
    meta: { ...right, from: 'lg' },
    cell: ({ getValue }) => formatNumber(getValue()),
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
    meta: { ...right, from: 'lg' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('due_usd', {
    header: 'By card',
    meta: { ...right, from: 'sm' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('paid_usd', {
    header: 'Paid by card',
    meta: { ...right, from: 'md' },
    cell: ({ getValue }) => <Amount usd={getValue()} />,
  }),
  column.accessor('failed', {
    header: 'Failed',
    meta: { ...right, from: 'sm' },
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

/** Months and how far their closing is. */
export default function MonthsPage() {
  const state = useTableState();
  const list = keyedBy(useClosings(), ({ month }) => month);
  return (
    <Page
      title="Months"
      description="A month (UTC) is closed by the workers six hours after its end: late usage is still on it. Each tenant that owes something gets one invoice; credit pays first, the default card the rest. Closing again changes nothing."
    >
      <DataTable
        noun="month"
        list={list}
        state={state}
        columns={columns}
        rowName={({ month }) => formatMonth(month)}
        searchable={false}
        empty={
          <EmptyState icon={CalendarCheck} title="No months yet">
            The first month shows with the first tenant.
          </EmptyState>
        }
      />
    </Page>
  );
}
