'use client';

import { CreditCard, Download } from 'lucide-react';
import { useParams } from 'next/navigation';
import { useState } from 'react';
import { invoices } from '@/components/billing/domain';
import { useInvoiceActions } from '@/components/billing/invoice-actions';
import { InvoiceLines } from '@/components/billing/invoice-lines';
import { InvoicePayment } from '@/components/billing/invoice-payment';
import { type Invoice, monthName } from '@/components/billing/invoices';
import { Money } from '@/components/kit/data/amounts';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import type { Fact } from '@/components/kit/page/facts';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Button } from '@/components/kit/ui/button';
import { readInvoice } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';

/** One invoice: its lines, what credit paid, and how the rest is paid. */
export default function InvoicePage() {
  const { invoice: id } = useParams<{ invoice: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/billing/invoices/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={invoices}
      query={query}
      get={readInvoice}
      title={({ number }) => number}
      description={({ month }) => `For ${monthName(month)}`}
      facts={invoiceFacts}
      badge={({ payment }) => <StatusBadge status={payment.status} />}
      buttons={(invoice) => <InvoiceButtons invoice={invoice} />}
      content={(invoice) => (
        <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
          <InvoiceLines invoice={invoice} />
          <InvoicePayment invoice={invoice} />
        </div>
      )}
    />
  );
}

function invoiceFacts({ subtotal_usd, due_usd, payment, issued_at }: Invoice): Fact[] {
  return [
    ['Total', <Money key="total" usd={subtotal_usd} />],
    [payment.status === 'paid' ? 'Charged by card' : 'Due', <Money key="due" usd={due_usd} />],
    ['Issued', <Time key="issued" at={issued_at} form="date" />],
  ];
}

function InvoiceButtons({ invoice }: { invoice: Invoice }) {
  const { save, pay, whyNotPay } = useInvoiceActions();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const refused = whyNotPay(invoice);
  return (
    <>
      {invoice.payment.status !== 'paid' && (
        <DisabledReason reason={refused}>
          <Button variant={refused ? 'secondary' : 'primary'} onClick={() => pay(invoice)}>
            <CreditCard /> Pay now
          </Button>
        </DisabledReason>
      )}
      <Button
        pending={pending}
        onClick={() => {
          setPending(true);
          setError(undefined);
          void save(invoice)
            .catch(setError)
            .finally(() => setPending(false));
        }}
      >
        <Download /> Download PDF
      </Button>
      {error !== undefined && <ErrorNotice title="The PDF could not be downloaded" error={error} />}
    </>
  );
}
