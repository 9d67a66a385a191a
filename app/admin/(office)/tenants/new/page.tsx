'use client';

import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { CreatedTenant, type CreatedTenantProps } from '@/components/backoffice/created-tenant';
import { displayName, email, newPassword, personName, slug } from '@/components/backoffice/form-checks';
import { KnownAddress } from '@/components/backoffice/known-address';
import { slugOf } from '@/components/backoffice/slug-of';
import { TextField } from '@/components/form/fields';
import { FormShell, useSchemaForm } from '@/components/form/form-shell';
import { newFirstPassword } from '@/components/members/first-password';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { Page } from '@/components/page/page';
import { Card } from '@/components/ui/card';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';

const schema = z.object({
  name: displayName,
  slug,
  admin: z.object({ email, name: personName, password: newPassword }),
});

/** Creates a tenant with its first admin. */
export default function NewTenantPage() {
  const { api } = useBackOffice();
  const create = api.useMutation('post', '/admin/api/v1/tenants', { gcTime: 0 });
  const form = useSchemaForm(schema, { name: '', slug: '', admin: { email: '', name: '', password: '' } });
  const [created, setCreated] = useState<CreatedTenantProps>();
  const name = form.watch('name');
  const ownSlug = form.formState.dirtyFields.slug;

  // Not as a default value: the server would draw another one than the browser.
  useEffect(() => form.setValue('admin.password', newFirstPassword()), [form]);
  useEffect(() => {
    if (!ownSlug) form.setValue('slug', slugOf(name));
  }, [form, name, ownSlug]);

  if (created) {
    return (
      <Page title={`${created.name} is created`}>
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
        cancel={adminPaths.tenants()}
        onSubmit={async (values) => {
          const { id, acceptance_code, acceptance_expires_at } = await create.mutateAsync({ body: values });
          const acceptance = { acceptance_code, acceptance_expires_at };
          setCreated({ name: values.name, tenantId: id, admin: values.admin, acceptance });
        }}
        aside={<WhatItIs />}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
        <TextField
          control={form.control}
          name="slug"
          label="Slug"
          description="Stands in the addresses of its pages, and never changes."
          autoComplete="off"
          mono
        />
        <fieldset className="space-y-5 rounded-lg border bg-surface p-4">
          <legend className="-ml-1 px-1 font-semibold text-sm">First admin</legend>
          <TextField control={form.control} name="admin.email" label="E-mail" type="email" autoComplete="off" />
          <KnownAddress email={form.watch('admin.email')} />
          <TextField control={form.control} name="admin.name" label="Their name" autoComplete="off" />
          <FirstPasswordField control={form.control} name="admin.password" />
        </fieldset>
      </FormShell>
    </Page>
  );
}

function WhatItIs() {
  return (
    <Card title="What it begins with">
      <dl className="space-y-3 text-sm">
        <div>
          <dt className="font-medium">The default limits</dt>
          <dd className="mt-0.5 text-pretty text-ink-muted">You can change each of them at any time.</dd>
        </div>
        <div>
          <dt className="font-medium">A first admin who is new here</dt>
          <dd className="mt-0.5 text-pretty text-ink-muted">
            Gets an account. Hand over the first password; they sign in with it at once, and change it.
          </dd>
        </div>
        <div>
          <dt className="font-medium">A first admin who has an account</dt>
          <dd className="mt-0.5 text-pretty text-ink-muted">
            Is invited, and runs the tenant once they accept with the code that you get here. Their name and password
            stay theirs.
          </dd>
        </div>
      </dl>
    </Card>
  );
}
