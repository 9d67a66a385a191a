'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { ExistingAccount } from '@/components/backoffice/existing-account';
import { email, newPassword, personName } from '@/components/backoffice/form-checks';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { ButtonLink } from '@/components/kit/ui/button';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { SignInDetails } from '@/components/members/sign-in-details';
import { useFirstPassword } from '@/components/members/use-first-password';
import { useBackOffice } from '@/lib/client/backoffice';
import { ApiError } from '@/lib/client/errors';
import { createAdministrator } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

const schema = z.object({ email, name: personName, password: newPassword });

/** Opens the back office to someone: a new account, or the one they have. */
export default function NewAdministratorPage() {
  const { api, signInAt } = useBackOffice();
  const create = api.useMutation('post', '/admin/api/v1/administrators', { gcTime: 0 });
  const form = useSchemaForm(schema, { email: '', name: '', password: '' });
  const [created, setCreated] = useState<{ email: string; name: string; password: string }>();
  const known = create.error instanceof ApiError && create.error.code === 'CONFLICT';
  useFirstPassword((password) => form.setValue('password', password));

  if (created) {
    return (
      <Page title={`${created.name} added as administrator`}>
        <div className="max-w-2xl space-y-5">
          <SignInDetails address={signInAt.backoffice} email={created.email} password={created.password} />
          <ButtonLink href={adminPaths.administrators()} variant="primary">
            Done
          </ButtonLink>
        </div>
      </Page>
    );
  }
  return (
    <Page title="Add administrator" description="Administrators have full access to the back office.">
      <FormShell
        form={form}
        loading={false}
        error={known ? null : create.error}
        failure="The administrator could not be added"
        submitLabel="Add administrator"
        copy={{ operation: createAdministrator, schema, body: (values) => values }}
        cancel={adminPaths.administrators()}
        onSubmit={async (values) => {
          await create.mutateAsync({ body: values });
          setCreated(values);
        }}
      >
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="off" autoFocus />
        {known && create.variables && <ExistingAccount email={create.variables.body.email} />}
        <TextField control={form.control} name="name" label="Name" autoComplete="off" />
        <FirstPasswordField
          control={form.control}
          name="password"
          description="Generated. You can enter another one."
        />
      </FormShell>
    </Page>
  );
}
