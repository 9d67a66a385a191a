'use client';

import * as z from 'zod/mini';
import { CodeBlock } from '@/components/kit/data/code-block';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { updateBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { aclCards, versioningCards } from './choices';
import { CorsRules } from './cors-rules';
import { LifecycleRules } from './lifecycle-rules';
import { Clients } from './new-key';
import { PolicyCard } from './policy-card';
import type { Bucket } from './types';

const schema = z.object({
  acl: z.enum(['private', 'public-read']),
  versioning: z.enum(['off', 'on']),
  quota_gb: z.string().check(z.regex(/^(\d+(\.\d{1,6})?)?$/, 'Enter a number of GB.')),
});

const bodyOf = ({ acl, versioning, quota_gb }: z.output<typeof schema>) => ({
  acl,
  versioning: versioning === 'on',
  quota_gb: Number(quota_gb) > 0 ? Number(quota_gb) : null,
});

/** The settings of a bucket, and how clients reach it. */
export function SettingsTab({ bucket, reread }: { bucket: Bucket; reread: () => unknown }) {
  const { project, api } = useProject();
  const update = api.useMutation('patch', '/api/v1/storage/buckets/{name}');
  const form = useSchemaForm(schema, {
    acl: bucket.acl,
    versioning: bucket.versioning === 'enabled' ? 'on' : 'off',
    quota_gb: bucket.quota_gb === null ? '' : String(bucket.quota_gb),
  });
  return (
    <div className="space-y-5">
      <Card title="Settings">
        <FormShell
          form={form}
          loading={false}
          error={update.error}
          failure="The bucket could not be changed"
          submitLabel="Save settings"
          operation="updateBucket"
          copy={{ operation: updateBucket, id: bucket.name, schema, body: bodyOf }}
          cancel={paths.bucket(project.slug, bucket.name)}
          onSubmit={async (values) => {
            await update.mutateAsync({ params: { path: { name: bucket.name } }, body: bodyOf(values) });
            await reread();
            form.reset(values);
            void notify('success', `${bucket.name} changed`);
          }}
        >
          <CardsField control={form.control} name="acl" label="Access" options={aclCards} />
          <CardsField
            control={form.control}
            name="versioning"
            label="Old versions"
            options={versioningCards.map((card) =>
              card.value === 'off' && bucket.object_lock
                ? { ...card, disabledReason: 'The bucket has object lock, which needs its versions.' }
                : card,
            )}
          />
          <TextField
            control={form.control}
            name="quota_gb"
            label="Quota in GB"
            description="Less than the bucket holds refuses new bytes, and deletes none."
            inputMode="decimal"
            optional
            width="short"
          />
        </FormShell>
      </Card>
      <PolicyCard bucket={bucket} reread={reread} />
      <CorsRules bucket={bucket} reread={reread} />
      <LifecycleRules bucket={bucket} reread={reread} />
      <Card title="Connect" description="S3 clients need an access key and this endpoint.">
        <Clients
          connection={{
            endpoint: bucket.endpoint,
            region: bucket.region,
            access_key: 'ACCESS_KEY',
            bucket: bucket.name,
          }}
        />
      </Card>
      <Card title="Details">
        <PropertyList
          items={[
            [
              'Endpoint',
              <code key="endpoint" className="wrap-anywhere">
                {bucket.endpoint}
              </code>,
            ],
            ['Region', bucket.region],
            ['Rights of other projects', bucket.has_grants ? 'Set with an S3 client' : 'None'],
            ['Created', <Time key="created" at={bucket.created_at} form="exact" />],
          ]}
        />
        {bucket.public_url !== null && (
          <div className="mt-4">
            <CodeBlock label="public address" code={`${bucket.public_url}/KEY`} />
          </div>
        )}
      </Card>
    </div>
  );
}
