'use client';

import * as z from 'zod/mini';
import { TextAreaField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { useBackOffice } from '@/lib/client/backoffice';
import { text } from '@/lib/client/constraints';
import { suspendTenant } from '@/lib/client/operations/backoffice';
import type { Tenant } from './tenant-actions';

const schema = z.object({
  reason: text(suspendTenant.fields.reason, 'Enter a reason.'),
});

/** Asks why, and says what happens, before a tenant is shut out. */
export function SuspendTenantDialog({ tenant, close }: { tenant: Tenant; close: () => void }) {
  const { api } = useBackOffice();
  const suspend = api.useMutation('post', '/admin/api/v1/tenants/{tenant_id}/suspend');
  const form = useSchemaForm(schema, { reason: '' });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Suspend ${tenant.name}?`}
      description="You can resume it at any time."
    >
      <ul className="mb-5 list-disc space-y-1 pl-4 text-pretty text-ink-muted text-sm">
        <li>Its API and portal refuse all requests immediately, including those with API tokens.</li>
        <li>Its members lose access to it, but keep access to their other tenants.</li>
        <li>Nothing is deleted. Existing resources still count towards the quota and are billed.</li>
      </ul>
      <FormShell
        form={form}
        loading={false}
        error={suspend.error}
        failure="The tenant could not be suspended"
        submitLabel="Suspend tenant"
        danger
        cancel={close}
        copy={{ operation: suspendTenant, id: tenant.id, schema, body: (values) => values }}
        onSubmit={async (body) => {
          await suspend.mutateAsync({ params: { path: { tenant_id: tenant.id } }, body });
          close();
        }}
      >
        <TextAreaField
          control={form.control}
          name="reason"
          label="Reason"
          description="Visible in the audit log and to other administrators, not to the tenant."
          rows={3}
        />
      </FormShell>
    </Dialog>
  );
}
