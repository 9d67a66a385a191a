'use client';

import { FileDown } from 'lucide-react';
import { type Invoice, invoiceColumns } from '@/components/backoffice/money/invoice-columns';
import { useMonthFilter } from '@/components/backoffice/money/months';
import { invoices } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { statusOptions } from '@/components/kit/data/statuses';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { download } from '@/lib/client/download';
import { ApiError } from '@/lib/client/errors';
import { listTenantInvoices } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

const statuses = statusOptions(['open', 'paid', 'failed', 'deferred', 'carried']);

/** The invoices of all tenants; those that could not be paid are a filter away. */
export default function InvoicesPage() {
  const { headers } = useBackOffice();
  const month = useMonthFilter();
  const save = ({ id, number }: Invoice) =>
    void download(`/admin/api/v1/billing/invoices/${id}/pdf`, {}, headers, `${number}.pdf`).catch((error: unknown) =>
      notify('error', `${number} could not be downloaded`, {
        description: error instanceof ApiError ? error.message : 'Try again.',
      }),
    );
  return (
    <ResourceList
      of={invoices}
      list={listTenantInvoices}
      about="One per tenant and month, numbered without gaps. Failed charges are retried automatically for four weeks."
      empty="Invoices are created when a month is closed, six hours after it ends (UTC), for each tenant with charges."
      columns={invoiceColumns}
      filters={[{ name: 'status', label: 'Payment', options: statuses }, month]}
      parameters={['tenant_id']}
      toolbar={(state) => <TenantFilter state={state} />}
      searchable={false}
      rowName={({ number }) => number}
      actions={(invoice, state) => [
        { label: 'Download PDF', icon: FileDown, onSelect: () => save(invoice) },
        { label: 'Only this tenant', onSelect: () => state.set({ tenant_id: invoice.tenant_id }) },
        { label: 'View credit', href: adminPaths.credits({ tenant_id: invoice.tenant_id }) },
      ]}
    />
  );
}
