'use client';

import { use, useState } from 'react';
import * as z from 'zod/mini';
import { email, newPassword, personName } from '@/components/backoffice/form-checks';
import { KnownAddress } from '@/components/backoffice/known-address';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { type Acceptance, AcceptanceCode } from '@/components/members/acceptance-code';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { NextSteps } from '@/components/members/next-steps';
import { SignInDetails } from '@/components/members/sign-in-details';
import { useFirstPassword } from '@/components/members/use-first-password';
import { useBackOffice } from '@/lib/client/backoffice';
import { addTenantAdmin } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

const schema = z.object({ email, name: personName, password: newPassword });

const nextSteps = [
  [
    'New e-mail address',
    'An account is created. Give the admin the initial password. They choose their own at the first sign-in.',
  ],
  [
    'E-mail address with an account',
    'The user is invited and becomes an admin by accepting with the code shown here. Their name and password do not change.',
  ],
  ['Member of the tenant', 'The user gets the admin role in addition to existing roles.'],
] as const;

interface Added extends Acceptance {
  email: string;
  password: string;
  status: 'active' | 'invited';
  account: 'created' | 'existing';
}

/** Gives a tenant another admin: where the first one has turned the invitation down, or is gone. */
export default function NewTenantAdminPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant: id } = use(params);
  const { api } = useBackOffice();
  const path = { tenant_id: id };
  const query = api.useQuery('get', '/admin/api/v1/tenants/{tenant_id}', { params: { path } });
  const [added, setAdded] = useState<Added>();
  const name = query.data?.name ?? 'the tenant';
  if (added) {
    return (
      <Page title={`${added.email} ${added.status === 'invited' ? 'invited' : 'added as admin'}`}>
        <div className="max-w-2xl space-y-5">
          <Outcome {...added} tenant={name} />
          <ButtonLink href={adminPaths.tenant(id)} variant="primary">
            Go to the tenant
          </ButtonLink>
        </div>
      </Page>
    );
  }
  return (
    <Page title={`Add admin to ${name}`} description="Admins manage users, budget and payments of the tenant.">
      <Loaded query={query} what="The tenant" skeleton={<Skeleton className="h-80 w-full max-w-2xl" />}>
        {() => <AdminForm tenantId={id} onAdded={setAdded} />}
      </Loaded>
    </Page>
  );
}

function AdminForm({ tenantId, onAdded }: { tenantId: string; onAdded: (added: Added) => void }) {
  const { api } = useBackOffice();
  const add = api.useMutation('post', '/admin/api/v1/tenants/{tenant_id}/admins', { gcTime: 0 });
  const form = useSchemaForm(schema, { email: '', name: '', password: '' });
  useFirstPassword((password) => form.setValue('password', password));

  return (
    <FormShell
      form={form}
      loading={false}
      error={add.error}
      failure="The admin could not be added"
      submitLabel="Add admin"
      cancel={adminPaths.tenant(tenantId)}
      copy={{ operation: addTenantAdmin, id: tenantId, schema, body: (values) => values }}
      onSubmit={async (body) => {
        const made = await add.mutateAsync({ params: { path: { tenant_id: tenantId } }, body });
        onAdded({ ...made, password: body.password });
      }}
      aside={<NextSteps steps={nextSteps} />}
    >
      <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="off" autoFocus />
      <KnownAddress email={form.watch('email')} />
      <TextField control={form.control} name="name" label="Name" autoComplete="off" />
      <FirstPasswordField control={form.control} name="password" />
    </FormShell>
  );
}

function Outcome({ email, password, status, account, tenant, ...acceptance }: Added & { tenant: string }) {
  const { signInAt } = useBackOffice();
  if (account === 'created') return <SignInDetails address={signInAt.portal} email={email} password={password} />;
  if (status === 'invited') return <AcceptanceCode {...acceptance} email={email} becomes={`an admin of ${tenant}`} />;
  return (
    <Card title="Already a member">
      <p className="text-pretty text-ink-muted text-sm">
        {email} is a member of {tenant} and now has the admin role. The initial password is not used.
      </p>
    </Card>
  );
}
