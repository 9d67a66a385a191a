'use client';

import { CreditCard, Download } from 'lucide-react';
import { useState } from 'react';
import { invoices } from '@/components/billing/domain';
import { useInvoiceActions } from '@/components/billing/invoice-actions';
import { invoiceColumns } from '@/components/billing/invoice-columns';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listInvoices } from '@/lib/client/operations/billing';

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
      columns={invoiceColumns}
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
