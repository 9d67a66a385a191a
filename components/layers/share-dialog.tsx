'use client';

import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { shareLayer } from '@/lib/client/operations/layers';
import { useProject } from '@/lib/client/project';
import type { Layer } from './types';

const schema = z.object({
  project_id: z
    .string()
    .check(z.trim(), z.regex(new RegExp(shareLayer.fields.project_id.pattern), 'Enter the ID of a project.')),
});

/** Shares a layer with another project. */
export function ShareDialog({ layer, close }: { layer: Layer; close: () => void }) {
  const { api } = useProject();
  const share = api.useMutation('post', '/api/v1/layers/{id}/permissions');
  const form = useSchemaForm(schema, { project_id: '' });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Share ${layer.name}`}
      description="Members of the project can use all its versions in their functions."
    >
      <FormShell
        form={form}
        loading={false}
        error={share.error}
        failure="The layer could not be shared"
        submitLabel="Share layer"
        operation="shareLayer"
        copy={{ operation: shareLayer, id: layer.id, schema, body: (values) => values }}
        cancel={close}
        onSubmit={async (body) => {
          await share.mutateAsync({ params: { path: { id: layer.id } }, body });
          close();
        }}
      >
        <TextField
          control={form.control}
          name="project_id"
          label="Project ID"
          description="Its members find it under Quota, or in GET /auth/me."
          autoComplete="off"
          autoFocus
          mono
        />
      </FormShell>
    </Dialog>
  );
}
