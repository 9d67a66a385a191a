'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { aclCards, lockCard, versioningCards } from '@/components/objects/choices';
import { text } from '@/lib/client/constraints';
import { createBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z.object({
  name: text(createBucket.fields.name, 'Enter a name.').check(
    z.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'Use 3 to 63 lowercase letters, digits, dots and dashes.'),
  ),
  acl: z.enum(createBucket.fields.acl.enum),
  versioning: z.enum(['off', 'on', 'lock']),
  quota_gb: z.string().check(z.regex(/^(\d+(\.\d{1,3})?)?$/, 'Enter a number of GB.')),
});

function bodyOf({ quota_gb, versioning, ...values }: z.output<typeof schema>) {
  return {
    ...values,
    versioning: versioning !== 'off',
    object_lock: versioning === 'lock',
    ...(Number(quota_gb) > 0 ? { quota_gb: Number(quota_gb) } : {}),
  };
}

/** Creates a bucket. */
export default function NewBucketPage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/storage/buckets');
  const form = useSchemaForm(schema, { name: '', acl: 'private', versioning: 'off', quota_gb: '' });
  return (
    <Page title="Create bucket" narrow>
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The bucket could not be created"
        submitLabel="Create bucket"
        operation="createBucket"
        copy={{ operation: createBucket, schema, body: bodyOf }}
        cancel={paths.buckets(project.slug)}
        onSubmit={async (values) => {
          await create.mutateAsync({ body: bodyOf(values) });
          router.push(paths.bucket(project.slug, values.name));
        }}
      >
        <TextField
          control={form.control}
          name="name"
          label="Name"
          description="Unique in the whole platform, because it is part of addresses. It can’t be changed."
          autoComplete="off"
          autoFocus
        />
        <CardsField control={form.control} name="acl" label="Access" options={aclCards} />
        <CardsField
          control={form.control}
          name="versioning"
          label="Old versions"
          options={[...versioningCards, lockCard]}
        />
        <TextField
          control={form.control}
          name="quota_gb"
          label="Quota in GB"
          description="The most that the bucket can hold, with old versions and unfinished uploads."
          inputMode="decimal"
          optional
          width="short"
        />
      </FormShell>
    </Page>
  );
}
