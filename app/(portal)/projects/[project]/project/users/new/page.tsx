'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { type Added, AddedUser } from '@/components/members/added-user';
import { newFirstPassword } from '@/components/members/first-password';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { roleOptions } from '@/components/members/roles';
import { exactText, text } from '@/lib/client/constraints';
import { createUser } from '@/lib/client/operations/identity';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const { fields } = createUser;
const schema = z.object({
  email: z.email('Enter an e-mail address, such as ianthe@example.org.'),
  name: text(fields.name, 'Enter a name.'),
  role: z.enum(fields.role.enum),
  password: exactText(fields.password),
});

/** Adds a person to the project: creates the account, or invites the one that there is. Its address may name whom. */
export default function NewUserPage() {
  const { project, api } = useProject();
  const create = api.useMutation('post', '/api/v1/identity/users', { gcTime: 0 });
  const again = useSearchParams();
  const form = useSchemaForm(schema, {
    email: again.get('email') ?? '',
    name: again.get('name') ?? '',
    role: roleOptions.find(({ value }) => value === again.get('role'))?.value ?? 'member',
    password: '',
  });
  const [added, setAdded] = useState<Added>();
  const list = paths.users(project.slug);

  // Not as a default value: the server would draw another one than the browser.
  useEffect(() => form.setValue('password', newFirstPassword()), [form]);

  if (added) {
    return (
      <Page title={`${added.name} added`}>
        <AddedUser added={added} list={list} another={() => setAdded(undefined)} />
      </Page>
    );
  }
  return (
    <Page title="Add user">
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The user could not be added"
        submitLabel="Add user"
        operation="createUser"
        cancel={list}
        onSubmit={async (values) => {
          const { acceptance_code, acceptance_expires_at } = await create.mutateAsync({ body: values });
          setAdded({ ...values, acceptance_code, acceptance_expires_at });
          form.reset({ email: '', name: '', role: 'member', password: newFirstPassword() });
        }}
        aside={<CreateOrInvite />}
      >
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="off" />
        <TextField control={form.control} name="name" label="Name" autoComplete="off" />
        <CardsField control={form.control} name="role" label="Role" options={roleOptions} />
        <FirstPasswordField control={form.control} name="password" />
      </FormShell>
    </Page>
  );
}

function CreateOrInvite() {
  return (
    <Card title="What happens next">
      <dl className="space-y-3 text-sm">
        <div>
          <dt className="font-medium">New e-mail address</dt>
          <dd className="mt-0.5 text-pretty text-ink-muted">
            An account is created. Give the user the initial password. They choose their own at the first sign-in.
          </dd>
        </div>
        <div>
          <dt className="font-medium">E-mail address with an account</dt>
          <dd className="mt-0.5 text-pretty text-ink-muted">
            The user is invited. Give them the acceptance code; they join with it and their own password. The initial
            password is not used.
          </dd>
        </div>
      </dl>
    </Card>
  );
}
