'use client';

import { useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { CodeEditor } from '@/components/kit/code/code-editor';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { FieldError } from '@/components/kit/form/frame';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { updateBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { jsonProblem, laidOut, samplePolicy } from './policy-text';
import type { Bucket } from './types';

const schema = z.object({
  policy: z.string().check(
    z.maxLength(20 * 1024, 'Up to 20 KB.'),
    z.superRefine((text, context) => {
      const message = jsonProblem(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: text });
    }),
  ),
});

const bodyOf = ({ policy }: { policy: string }) => ({ policy: policy.trim() === '' ? null : policy });

/** Who may do what with the bucket, beside members of the project. */
export function PolicyCard({ bucket, reread }: { bucket: Bucket; reread: () => unknown }) {
  const { api } = useProject();
  const wish = { params: { path: { name: bucket.name } } };
  const query = api.useQuery('get', '/api/v1/storage/buckets/{name}/policy', wish);
  return (
    <Card
      title="Bucket policy"
      description="Statements in JSON that allow or deny actions to everyone, to other projects, or to single access keys. An empty policy is none."
    >
      <Loaded query={query} what="the policy" skeleton={<Skeleton className="h-64 w-full rounded-md" />}>
        {({ policy }) => (
          <PolicyForm
            bucket={bucket}
            policy={policy}
            reread={async () => {
              await query.refetch();
              await reread();
            }}
          />
        )}
      </Loaded>
    </Card>
  );
}

interface PolicyFormProps {
  bucket: Bucket;
  policy: string | null;
  reread: () => Promise<unknown>;
}

function PolicyForm({ bucket, policy, reread }: PolicyFormProps) {
  const { project, api } = useProject();
  const update = api.useMutation('patch', '/api/v1/storage/buckets/{name}');
  const form = useSchemaForm(schema, { policy: laidOut(policy) });
  const { field, fieldState } = useController({ control: form.control, name: 'policy' });
  return (
    <FormShell
      form={form}
      loading={false}
      error={update.error}
      failure="The policy could not be changed"
      submitLabel="Save policy"
      operation="updateBucket"
      copy={{ operation: updateBucket, id: bucket.name, schema, body: bodyOf }}
      cancel={paths.bucket(project.slug, bucket.name)}
      onSubmit={async (values) => {
        await update.mutateAsync({ params: { path: { name: bucket.name } }, body: bodyOf(values) });
        form.reset(values);
        await reread();
        void notify('success', values.policy.trim() === '' ? 'Policy removed' : 'Policy changed');
      }}
    >
      <div>
        <CodeEditor label="Bucket policy" language="json" value={field.value} onChange={field.onChange} />
        <FieldError id="policy" error={fieldState.error?.message} />
      </div>
      {field.value.trim() === '' && (
        <Button size="sm" onClick={() => field.onChange(samplePolicy(bucket.name))}>
          Insert an example
        </Button>
      )}
    </FormShell>
  );
}
