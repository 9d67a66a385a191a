'use client';

import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { useBackOffice } from '@/lib/client/backoffice';
import { updateTenant } from '@/lib/client/operations/backoffice';
import { displayName } from './form-checks';
import type { Tenant } from './tenant-actions';

const schema = z.object({ name: displayName });

/** Gives a tenant another name; its slug, and with it every address, stays. */
export function RenameTenantDialog({ tenant, close }: { tenant: Tenant; close: () => void }) {
  const { api } = useBackOffice();
  const rename = api.useMutation('patch', '/admin/api/v1/tenants/{tenant_id}');
  const form = useSchemaForm(schema, { name: tenant.name });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      size="sm"
      title={`Rename ${tenant.name}`}
      description={`The slug stays ${tenant.slug}, so URLs and scripts keep working.`}
    >
      <FormShell
        form={form}
        loading={false}
        error={rename.error}
        failure="The tenant could not be renamed"
        submitLabel="Rename tenant"
        cancel={close}
        copy={{ operation: updateTenant, id: tenant.id, schema, body: (values) => values }}
        onSubmit={async (body) => {
          await rename.mutateAsync({ params: { path: { tenant_id: tenant.id } }, body });
          close();
        }}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
      </FormShell>
    </Dialog>
  );
}
