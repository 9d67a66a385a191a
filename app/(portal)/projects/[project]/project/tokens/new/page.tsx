'use client';

import * as z from 'zod/mini';
import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { roleOptions } from '@/components/members/roles';
import { NewToken } from '@/components/tokens/new-token';
import { text } from '@/lib/client/constraints';
import { includesRole } from '@/lib/client/may';
import { createToken } from '@/lib/client/operations/auth';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const DAY_MS = 24 * 60 * 60 * 1000;

const schema = z.object({
  name: text(createToken.fields.name, 'Enter a name.'),
  role: z.enum(createToken.fields.role.enum),
  days: z.string(),
});

const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never', description: 'Until it is revoked or you leave the project' },
];

function bodyOf({ name, role, days }: z.output<typeof schema>) {
  const expires = days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
  return { name, role, ...expires };
}

/** Creates a token for a script, and shows it once. */
export default function NewTokenPage() {
  const { project, api } = useProject();
  const create = api.useMutation('post', '/api/v1/auth/tokens');
  const form = useSchemaForm(schema, { name: '', role: 'reader', days: '30' });
  const list = paths.tokens(project.slug);
  const roles = roleOptions.map((option) =>
    includesRole(project.role, option.value)
      ? option
      : { ...option, disabledReason: `A token cannot exceed your own role (${project.role}).` },
  );
  return (
    <Page title="Create API token" narrow>
      {create.data ? (
        <NewToken name={create.data.name} token={create.data.token} back={list} />
      ) : (
        <FormShell
          form={form}
          loading={false}
          error={create.error}
          failure="The token could not be created"
          submitLabel="Create API token"
          operation="createToken"
          copy={{ operation: createToken, schema, body: bodyOf }}
          cancel={list}
          onSubmit={(values) => create.mutateAsync({ body: bodyOf(values) })}
        >
          <TextField
            control={form.control}
            name="name"
            label="Name"
            description="What will use the token, such as “backup” or “ci”."
            autoComplete="off"
            autoFocus
          />
          <CardsField control={form.control} name="role" label="Role" options={roles} />
          <SelectField control={form.control} name="days" label="Expires after" options={lifetimes} />
        </FormShell>
      )}
    </Page>
  );
}
