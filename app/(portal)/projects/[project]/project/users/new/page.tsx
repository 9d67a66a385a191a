'use client';

import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import * as z from 'zod/mini';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { type Added, AddedUser } from '@/components/members/added-user';
import { newFirstPassword } from '@/components/members/first-password';
import { FirstPasswordField } from '@/components/members/first-password-field';
import { NextSteps } from '@/components/members/next-steps';
import { roleOptions } from '@/components/members/roles';
import { useFirstPassword } from '@/components/members/use-first-password';
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

const nextSteps = [
  [
    'New e-mail address',
    'An account is created. Give the user the initial password. They choose their own at the first sign-in.',
  ],
  [
    'E-mail address with an account',
    'The user is invited. Give them the acceptance code; they join with it and their own password. The initial password is not used.',
  ],
] as const;

/** Adds a user to the project: creates an account or invites an existing one. Query parameters fill in the form. */
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
  useFirstPassword((password) => form.setValue('password', password));

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
        copy={{ operation: createUser, schema, body: (values) => values }}
        cancel={list}
        onSubmit={async (values) => {
          const { acceptance_code, acceptance_expires_at } = await create.mutateAsync({ body: values });
          setAdded({ ...values, acceptance_code, acceptance_expires_at });
          form.reset({ email: '', name: '', role: 'member', password: newFirstPassword() });
        }}
        aside={<NextSteps steps={nextSteps} />}
      >
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="off" autoFocus />
        <TextField control={form.control} name="name" label="Name" autoComplete="off" />
        <CardsField control={form.control} name="role" label="Role" options={roleOptions} />
        <FirstPasswordField control={form.control} name="password" />
      </FormShell>
    </Page>
  );
}
