import Link from 'next/link';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Invoice, paymentSentence } from './invoices';

/** How an invoice was paid, or is going to be. */
export function InvoicePayment({ invoice }: { invoice: Invoice }) {
  const { project } = useProject();
  const { customer, payment } = invoice;
  return (
    <Card title="Payment">
      <p className="mb-4 text-pretty text-sm">{paymentSentence(invoice)}</p>
      <PropertyList
        items={[
          ['Billed to', customer.name],
          ['Paid', payment.paid_at === null ? undefined : <Time key="paid" at={payment.paid_at} />],
          ['Attempts', payment.attempts === 0 ? undefined : String(payment.attempts)],
          [
            'Next attempt',
            payment.next_attempt_at === null ? undefined : (
              <Time key="next" at={payment.next_attempt_at} form="moment" />
            ),
          ],
        ]}
      />
      {payment.status === 'failed' && (
        <p className="mt-4 border-t pt-3 text-pretty text-ink-muted text-xs">
          Add a card under{' '}
          <Link
            href={paths.paymentMethods(project.slug)}
            className="rounded-sm text-accent underline underline-offset-2"
          >
            InvoicePayment methods
          </Link>{' '}
          or choose another default card, then pay the invoice here.
        </p>
      )}
    </Card>
  );
}
