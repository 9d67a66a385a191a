'use client';

import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { text } from '@/lib/client/constraints';
import { grantCredit } from '@/lib/client/operations/backoffice';
import { formatMoney } from '@/lib/format/money';

const directions = [
  { value: 'grant', label: 'Grant', description: 'Add credit to the tenant.' },
  { value: 'take', label: 'Withdraw', description: 'Up to the current balance.' },
];

const schema = z.object({
  direction: z.enum(['grant', 'take']),
  amount_usd: z.string().check(
    z.trim(),
    z.regex(/^\d{1,8}(\.\d{1,2})?$/, 'Enter an amount in USD, such as 25 or 12.50.'),
    z.refine((text) => Number(text) >= 0.01, 'At least $0.01.'),
  ),
  reason: text(grantCredit.fields.reason, 'Enter a reason.'),
});

const bodyOf = ({ direction, amount_usd, reason }: z.output<typeof schema>) => ({
  amount_usd: Number(direction === 'grant' ? amount_usd : `-${amount_usd}`),
  reason,
});

/** Gives a tenant prepaid credit, or takes some back, with a reason that it reads. */
export function GrantCreditDialog({ tenant, close }: { tenant: { id: string; name: string }; close: () => void }) {
  const { api } = useBackOffice();
  const grant = api.useMutation('post', '/admin/api/v1/tenants/{tenant_id}/credits');
  const form = useSchemaForm(schema, { direction: 'grant', amount_usd: '', reason: '' });
  const direction = useWatch({ control: form.control, name: 'direction' });
  const grants = direction === 'grant';
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Credit of ${tenant.name}`}
      description="Takes effect immediately."
    >
      <ul className="mb-5 list-disc space-y-1 pl-4 text-pretty text-ink-muted text-sm">
        <li>Invoices use credit before charging a card.</li>
        <li>If the tenant is frozen, the freeze is lifted until this amount is spent.</li>
        <li>Each change is recorded in the credit history.</li>
      </ul>
      <FormShell
        form={form}
        loading={false}
        error={grant.error}
        failure="The credit could not be changed"
        submitLabel={grants ? 'Grant credit' : 'Withdraw credit'}
        danger={!grants}
        cancel={close}
        copy={{ operation: grantCredit, id: tenant.id, schema, body: bodyOf }}
        onSubmit={async (values) => {
          const { amount_usd } = values;
          await grant.mutateAsync({ params: { path: { tenant_id: tenant.id } }, body: bodyOf(values) });
          close();
          void notify(
            'success',
            `${formatMoney(amount_usd)} of credit ${grants ? 'granted to' : 'withdrawn from'} ${tenant.name}`,
          );
        }}
      >
        <CardsField control={form.control} name="direction" label="What happens" options={directions} />
        <TextField
          control={form.control}
          name="amount_usd"
          label="Amount"
          inputMode="decimal"
          unit="USD"
          width="short"
          autoComplete="off"
        />
        <TextField
          control={form.control}
          name="reason"
          label="Reason"
          description="Visible to the tenant in its credit history, and in the audit log."
          autoComplete="off"
        />
      </FormShell>
    </Dialog>
  );
}
