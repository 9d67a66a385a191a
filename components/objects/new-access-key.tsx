'use client';

import * as z from 'zod/mini';
import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { text } from '@/lib/client/constraints';
import { includesRole } from '@/lib/client/may';
import { createStorageCredential } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

// Loaded once there is a key.
const NewKey = lazyComponent(
  () => import('./new-key').then((module) => module.NewKey),
  () => <Skeleton className="h-80 w-full rounded-lg" />,
);

const DAY_MS = 24 * 60 * 60 * 1000;
const { fields } = createStorageCredential;

const schema = z.object({
  description: text(fields.description),
  access: z.enum(fields.access.enum),
  owner: z.enum(fields.owner.enum),
  bucket: z.string(),
  days: z.string(),
});

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

const accesses = [
  { value: 'write', label: 'Read and write', description: 'Objects and buckets' },
  { value: 'read', label: 'Read', description: 'Lists and downloads' },
];

function bodyOf({ description, access, owner, bucket, days }: z.output<typeof schema>) {
  return {
    description,
    access,
    owner,
    ...(bucket === '' ? {} : { bucket }),
    ...(days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
  };
}

/** Creates an access key, and shows its secret once, with ready commands. */
export function NewAccessKey({ endpoint, region }: { endpoint: string; region: string }) {
  const { project, api } = useProject();
  const create = api.useMutation('post', '/api/v1/storage/credentials');
  const buckets = api.useQuery('get', '/api/v1/storage/buckets', { params: { query: { limit: 200, sort: 'name' } } });
  const form = useSchemaForm(schema, { description: '', access: 'write', owner: 'me', bucket: '', days: '' });
  const names = buckets.data?.map(({ name }) => name) ?? [];
  const owners = [
    { value: 'me', label: 'Me', description: 'Ends with your membership, and may at most what your role allows' },
    {
      value: 'project',
      label: 'The project',
      description: 'For machines: stays when people leave',
      ...(includesRole(project.role, 'admin')
        ? {}
        : { disabledReason: 'Only admins make keys that belong to the project.' }),
    },
  ];
  const list = paths.accessKeys(project.slug);
  return (
    <Page title="Create access key" narrow>
      {create.data ? (
        <NewKey
          secret={create.data.secret_key}
          connection={{
            endpoint,
            region,
            access_key: create.data.access_key,
            bucket: create.data.bucket ?? names[0] ?? 'BUCKET',
          }}
          back={list}
        />
      ) : (
        <FormShell
          form={form}
          loading={buckets.data === undefined && buckets.error === null}
          error={create.error}
          failure="The access key could not be created"
          submitLabel="Create access key"
          operation="createStorageCredential"
          copy={{ operation: createStorageCredential, schema, body: bodyOf }}
          cancel={list}
          onSubmit={(values) => create.mutateAsync({ body: bodyOf(values) })}
        >
          <TextField
            control={form.control}
            name="description"
            label="Description"
            description="What will use the key, such as “nightly backup”."
            autoComplete="off"
            optional
            autoFocus
          />
          <CardsField control={form.control} name="access" label="Access" options={accesses} />
          <CardsField control={form.control} name="owner" label="Belongs to" options={owners} />
          <SelectField
            control={form.control}
            name="bucket"
            label="Bucket"
            options={[{ value: '', label: 'All buckets' }, ...names.map((name) => ({ value: name, label: name }))]}
          />
          <SelectField control={form.control} name="days" label="Expires after" options={lifetimes} />
        </FormShell>
      )}
    </Page>
  );
}
