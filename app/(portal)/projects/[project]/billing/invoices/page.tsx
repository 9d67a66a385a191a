'use client';

import { CreditCard, Download } from 'lucide-react';
import { useState } from 'react';
import { invoices } from '@/components/billing/domain';
import { useInvoiceActions } from '@/components/billing/invoice-actions';
import { type Invoice, monthName, paymentSentence } from '@/components/billing/invoices';
import { Money } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { TextLink } from '@/components/network/text-link';
import { listInvoices } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const column = columnsOf<Invoice>();
const columns = [
  column.accessor('number', { header: 'Number', cell: ({ row: { original } }) => <InvoiceLink invoice={original} /> }),
  column.accessor('month', { header: 'Month', cell: ({ getValue }) => monthName(getValue()) }),
  column.accessor('payment', {
    header: 'Status',
    cell: ({ row: { original } }) => (
      <StatusBadge status={original.payment.status} reason={paymentSentence(original)} />
    ),
  }),
  column.accessor('issued_at', {
    header: 'Issued',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} form="date" />,
  }),
  column.accessor('subtotal_usd', {
    header: 'Total',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
  column.accessor('credit_usd', {
    header: 'From credit',
    meta: { align: 'right', from: 'lg' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
  column.accessor('due_usd', {
    header: 'By card',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
];

function InvoiceLink({ invoice: { id, number } }: { invoice: Invoice }) {
  const { project } = useProject();
  return (
    <TextLink href={paths.invoice(project.slug, id)} strong>
      {number}
    </TextLink>
  );
}

/** What each month cost. An invoice never changes; how its payment stands does. */
export default function InvoicesPage() {
  const { save, pay, whyNotPay } = useInvoiceActions();
  const [error, setError] = useState<unknown>();
  return (
    <ResourceList
      of={invoices}
      list={listInvoices}
      about="One per month (UTC), issued a few hours after the month ends. Paid from credit first, then by the default card."
      empty="Your first invoice is issued after the first month with charges. See Costs for the current month."
      above={
        error !== undefined && (
          <div className="mb-5">
            <ErrorNotice title="The PDF could not be downloaded" error={error} />
          </div>
        )
      }
      columns={columns}
      filters={['status']}
      searchable={false}
      rowName={({ number }) => number}
      actions={(invoice) => [
        {
          label: 'Download PDF',
          icon: Download,
          onSelect: () => {
            setError(undefined);
            void save(invoice).catch(setError);
          },
        },
        {
          label: 'Pay now',
          icon: CreditCard,
          disabledReason: whyNotPay(invoice),
          onSelect: () => pay(invoice),
        },
      ]}
    />
  );
}
