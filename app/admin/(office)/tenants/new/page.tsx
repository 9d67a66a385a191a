'use client';

import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { CreatedTenant, type CreatedTenantProps } from '@/components/backoffice/created-tenant';
import { displayName, email, newPassword, personName, slug } from '@/components/backoffice/form-checks';
import { KnownAddress } from '@/components/backoffice/known-address';
import { slugOf } from '@/components/backoffice/slug-of';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { NextSteps } from '@/components/members/next-steps';
import { useFirstPassword } from '@/components/members/use-first-password';
import { useBackOffice } from '@/lib/client/backoffice';
import { createTenant } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

const schema = z.object({
  name: displayName,
  slug,
  admin: z.object({ email, name: personName, password: newPassword }),
});

const initialSetup = [
  ['Default limits', 'You can change them at any time.'],
  [
    'First admin with a new e-mail address',
    'An account is created. Give the admin the initial password. They choose their own at the first sign-in.',
  ],
  [
    'First admin with an existing account',
    'The user is invited and becomes admin by accepting with the code shown here. Their name and password do not change.',
  ],
] as const;

/** Creates a tenant with its first admin. */
export default function NewTenantPage() {
  const { api } = useBackOffice();
  const create = api.useMutation('post', '/admin/api/v1/tenants', { gcTime: 0 });
  const form = useSchemaForm(schema, { name: '', slug: '', admin: { email: '', name: '', password: '' } });
  const [created, setCreated] = useState<CreatedTenantProps>();
  const name = form.watch('name');
  const ownSlug = form.formState.dirtyFields.slug;
  useFirstPassword((password) => form.setValue('admin.password', password));
  useEffect(() => {
    if (!ownSlug) form.setValue('slug', slugOf(name));
  }, [form, name, ownSlug]);

  if (created) {
    return (
      <Page title={`${created.name} created`}>
        <CreatedTenant {...created} />
      </Page>
    );
  }
  return (
    <Page title="Create tenant">
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The tenant could not be created"
        submitLabel="Create tenant"
        copy={{ operation: createTenant, schema, body: (values) => values }}
        cancel={adminPaths.tenants()}
        onSubmit={async (values) => {
          const { id, acceptance_code, acceptance_expires_at } = await create.mutateAsync({ body: values });
          const acceptance = { acceptance_code, acceptance_expires_at };
          setCreated({ name: values.name, tenantId: id, admin: values.admin, acceptance });
        }}
        aside={<NextSteps title="Initial setup" steps={initialSetup} />}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
        <TextField
          control={form.control}
          name="slug"
          label="Slug"
          description="Part of the tenant’s URLs. Cannot be changed later."
          autoComplete="off"
          mono
        />
        <fieldset className="space-y-5 rounded-lg border bg-surface p-4">
          <legend className="-ml-1 px-1 font-semibold text-sm">First admin</legend>
          <TextField control={form.control} name="admin.email" label="E-mail" type="email" autoComplete="off" />
          <KnownAddress email={form.watch('admin.email')} />
          <TextField control={form.control} name="admin.name" label="Admin name" autoComplete="off" />
          <FirstPasswordField control={form.control} name="admin.password" />
        </fieldset>
      </FormShell>
    </Page>
  );
}
