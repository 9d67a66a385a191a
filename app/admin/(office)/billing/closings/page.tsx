'use client';

import { CalendarCheck } from 'lucide-react';
import { Amount } from '@/components/backoffice/money/amount';
import { MonthState } from '@/components/backoffice/money/month-state';
import { type MonthClosing, useClosings } from '@/components/backoffice/money/months';
import { TextLink } from '@/components/backoffice/text-link';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Button } from '@/components/kit/ui/button';
import { useBackOffice } from '@/lib/client/backoffice';
import { keyedBy } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
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

/** Why a month can't be closed now. */
function whyNot({ state }: MonthClosing): string | undefined {
  if (state === 'running') return 'The month has not ended yet (UTC).';
  return state === 'closed' ? 'Already closed.' : undefined;
}

/** Months and how far their closing is. */
export default function MonthsPage() {
  const { api } = useBackOffice();
  const confirm = useConfirm();
  const state = useTableState();
  const closings = useClosings();
  const close = api.useMutation('post', '/admin/api/v1/billing/closings');
  const ask = ({ month, projects_left }: MonthClosing) =>
    confirm({
      title: `Close ${formatMonth(month)} now?`,
      consequence: (
        <>
          {formatCount(projects_left, 'tenant')} remaining. Each tenant with charges gets an invoice, paid from credit
          first, then by the default card. Usage reported later goes onto the next invoice. This cannot be undone.
        </>
      ),
      confirmLabel: 'Close month',
      harmless: true,
      onConfirm: async () => {
        await close.mutateAsync({ body: { month } });
        await closings.refetch();
      },
    });
  // The oldest that waits: it would be closed with a later one in any case.
  const waiting = closings.data?.rows.findLast((closing) => whyNot(closing) === undefined);
  return (
    <Page
      title="Monthly closing"
      description="Months (UTC) are closed automatically six hours after they end, or manually before. Each tenant with charges gets one invoice."
      actions={
        waiting && (
          <Button variant="primary" onClick={() => ask(waiting)}>
            Close {formatMonth(waiting.month)}
          </Button>
        )
      }
    >
      <DataTable
        noun="month"
        list={keyedBy(closings, ({ month }) => month)}
        state={state}
        columns={columns}
        rowName={({ month }) => formatMonth(month)}
        searchable={false}
        actions={(closing) => [
          {
            label: 'Close now',
            icon: CalendarCheck,
            disabledReason: whyNot(closing),
            onSelect: () => ask(closing),
          },
          { label: 'View invoices', href: adminPaths.invoices({ month: closing.month }) },
        ]}
        empty={
          <EmptyState icon={CalendarCheck} title="No months yet">
            The first month is listed once there is a tenant.
          </EmptyState>
        }
      />
    </Page>
  );
}
