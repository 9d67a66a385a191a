'use client';

import * as z from 'zod/mini';
import { TextAreaField, TextField } from '@/components/form/fields';
import { FormShell, useSchemaForm } from '@/components/form/form-shell';
import { Dialog } from '@/components/ui/dialog';
import { notify } from '@/components/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { formatMoney } from '@/lib/format/money';

const schema = z.object({
  amount_usd: z.string().check(
    z.trim(),
    z.regex(/^\d{1,8}(\.\d{1,2})?$/, 'An amount in USD, such as 25 or 12.50.'),
    z.refine((text) => Number(text) >= 0.01, 'At least one cent.'),
  ),
  reason: z.string().check(z.trim(), z.minLength(1, 'Say why.'), z.maxLength(500, 'At most 500 characters.')),
});

/** Gives a tenant prepaid credit, with a reason that it reads. */
export function GrantCreditDialog({ tenant, close }: { tenant: { id: string; name: string }; close: () => void }) {
  const { api } = useBackOffice();
  const grant = api.useMutation('post', '/admin/api/v1/tenants/{tenant_id}/credits');
  const form = useSchemaForm(schema, { amount_usd: '', reason: '' });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Grant ${tenant.name} credit`}
      description="In force for its very next request."
    >
      <ul className="mb-5 list-disc space-y-1 pl-4 text-pretty text-ink-muted text-sm">
        <li>Invoices use credit up before they charge a card.</li>
        <li>If the tenant is frozen, the freeze is lifted until that much more is spent this month.</li>
        <li>A grant is an entry of the ledger: it stays on record and can’t be taken back here.</li>
      </ul>
      <FormShell
        form={form}
        loading={false}
        error={grant.error}
        failure="No credit was granted"
        submitLabel="Grant credit"
        cancel={close}
        onSubmit={async ({ amount_usd, reason }) => {
          await grant.mutateAsync({
            params: { path: { tenant_id: tenant.id } },
            body: { amount_usd: Number(amount_usd), reason },
          });
          close();
          void notify('success', `${tenant.name} has ${formatMoney(amount_usd)} more of credit`);
        }}
      >
        <TextField
          control={form.control}
          name="amount_usd"
          label="Amount"
          inputMode="decimal"
          unit="USD"
          width="short"
          autoComplete="off"
          autoFocus
        />
        <TextAreaField
          control={form.control}
          name="reason"
          label="Reason"
          description="The tenant reads it in its credit history; the audit log keeps it."
          rows={2}
        />
      </FormShell>
    </Dialog>
  );
}
