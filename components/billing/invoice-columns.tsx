import { Money } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Invoice, monthName, paymentSentence } from './invoices';

const column = columnsOf<Invoice>();
/** The columns of invoices. */
export const invoiceColumns = [
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
