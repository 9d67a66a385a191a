'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { text } from '@/lib/client/constraints';
import { createSecurityGroup } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z.object({
  name: text(createSecurityGroup.fields.name, 'Enter a name.'),
  description: text(createSecurityGroup.fields.description),
});

/** Creates a security group, and goes on to its rules. */
export default function NewSecurityGroupPage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/network/security-groups');
  const form = useSchemaForm(schema, { name: '', description: '' });
  return (
    <Page
      title="Create security group"
      description="A new group allows all outbound and no inbound traffic. Add rules next."
      narrow
    >
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The security group could not be created"
        submitLabel="Create security group"
        operation="createSecurityGroup"
        copy={{ operation: createSecurityGroup, schema, body: (values) => values }}
        cancel={paths.securityGroups(project.slug)}
        onSubmit={async (body) => {
          const { id } = await create.mutateAsync({ body });
          router.push(paths.securityGroup(project.slug, id));
        }}
      >
        <TextField control={form.control} name="name" label="Name" placeholder="web" autoComplete="off" autoFocus />
        <TextAreaField
          control={form.control}
          name="description"
          label="Description"
          placeholder="HTTP and HTTPS from anywhere"
          optional
          rows={2}
        />
      </FormShell>
    </Page>
  );
}
