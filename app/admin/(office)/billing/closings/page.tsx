'use client';

import { CalendarCheck } from 'lucide-react';
import { closingColumns } from '@/components/backoffice/money/closing-columns';
import { type MonthClosing, useClosings } from '@/components/backoffice/money/months';
import { closings as monthClosings } from '@/components/backoffice/navigation';
import { useConfirm } from '@/components/kit/page/confirm';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { Button } from '@/components/kit/ui/button';
import { useBackOffice } from '@/lib/client/backoffice';
import { listMonthClosings } from '@/lib/client/operations/backoffice';
import { formatCount } from '@/lib/format/quantity';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

/** Why a month can't be closed now. */
function whyNot({ state }: MonthClosing): string | undefined {
  if (state === 'running') return 'The month has not ended yet (UTC).';
  return state === 'closed' ? 'Already closed.' : undefined;
}

/** Months and how far their closing is. */
export default function MonthsPage() {
  const { api } = useBackOffice();
  const confirm = useConfirm();
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
    <ResourceList
      of={monthClosings}
      list={listMonthClosings}
      about="Months (UTC) are closed automatically six hours after they end, or manually before. Each tenant with charges gets one invoice."
      buttons={
        waiting && (
          <Button variant="primary" onClick={() => ask(waiting)}>
            Close {formatMonth(waiting.month)}
          </Button>
        )
      }
      empty="The first month is listed once there is a tenant."
      columns={closingColumns}
      rowId={({ month }) => month}
      rowName={({ month }) => formatMonth(month)}
      searchable={false}
      actions={(closing) => [
        { label: 'Close now', icon: CalendarCheck, disabledReason: whyNot(closing), onSelect: () => ask(closing) },
        { label: 'View invoices', href: adminPaths.invoices({ month: closing.month }) },
      ]}
    />
  );
}
