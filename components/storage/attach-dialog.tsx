'use client';

import * as z from 'zod/mini';
import { SelectField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Dialog } from '@/components/kit/ui/dialog';
import { useList } from '@/lib/client/list';
import { attachVolume } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { formatGigabytes } from '@/lib/format/size';
import { type Volume, whyNotInto, whyNotVolume } from './storage-can';

const schema = z.object({ id: z.string().check(z.minLength(1, 'Choose one.')) });

interface AttachDialogProps {
  /** The volume that is to be attached somewhere, or the instance that is to get one. */
  subject: { volume: Volume } | { instance: { id: string; name: string } };
  close: () => void;
}

/** Attaches a volume to an instance, asking for whichever of the two is not known. */
export function AttachDialog({ subject, close }: AttachDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={'volume' in subject ? `Attach ${subject.volume.name}` : `Attach volume to ${subject.instance.name}`}
      description="A running guest detects the new disk immediately."
    >
      {'volume' in subject ? (
        <ChooseInstance volume={subject.volume} close={close} />
      ) : (
        <ChooseVolume instance={subject.instance} close={close} />
      )}
    </Dialog>
  );
}

function ChooseInstance({ volume, close }: { volume: Volume; close: () => void }) {
  const { api } = useProject();
  const instances = useList('/api/v1/compute/instances', { limit: 100, sort: 'name' });
  const attach = api.useMutation('post', '/api/v1/storage/volumes/{id}/attach');
  const form = useSchemaForm(schema, { id: '' });
  if (instances.error) return <ErrorNotice title="The instances could not be loaded" error={instances.error} />;
  const options = instances.data?.rows.map((instance) => ({
    value: instance.id,
    label: instance.name,
    description: `${instance.flavor.name} · ${instance.status}`,
    ...reasonOf(whyNotInto(instance)),
  }));
  return (
    <FormShell
      form={form}
      loading={options === undefined}
      error={attach.error}
      failure="The volume could not be attached"
      submitLabel="Attach volume"
      disabledReason={options?.length === 0 ? 'No instances yet. Create one first.' : undefined}
      cancel={close}
      copy={{ operation: attachVolume, id: volume.id, schema, body: ({ id }) => ({ instance_id: id }) }}
      onSubmit={async ({ id }) => {
        await attach.mutateAsync({ params: { path: { id: volume.id } }, body: { instance_id: id } });
        close();
      }}
    >
      <SelectField control={form.control} name="id" label="Instance" options={options ?? []} />
    </FormShell>
  );
}

function ChooseVolume({ instance, close }: { instance: { id: string }; close: () => void }) {
  const { api } = useProject();
  const volumes = useList('/api/v1/storage/volumes', { limit: 100, sort: 'name' });
  const attach = api.useMutation('post', '/api/v1/storage/volumes/{id}/attach');
  const form = useSchemaForm(schema, { id: '' });
  if (volumes.error) return <ErrorNotice title="The volumes could not be loaded" error={volumes.error} />;
  const options = volumes.data?.rows.map((volume) => ({
    value: volume.id,
    label: volume.name,
    description: formatGigabytes(volume.size_gb),
    ...reasonOf(whyNotVolume('attach', volume)),
  }));
  return (
    <FormShell
      form={form}
      loading={options === undefined}
      error={attach.error}
      failure="The volume could not be attached"
      submitLabel="Attach volume"
      disabledReason={options?.length === 0 ? 'No volumes yet. Create one first.' : undefined}
      cancel={close}
      copy={{ operation: attachVolume, id: ({ id }) => id, schema, body: () => ({ instance_id: instance.id }) }}
      onSubmit={async ({ id }) => {
        await attach.mutateAsync({ params: { path: { id } }, body: { instance_id: instance.id } });
        close();
      }}
    >
      <SelectField control={form.control} name="id" label="Volume" options={options ?? []} />
    </FormShell>
  );
}

const reasonOf = (disabledReason: string | undefined) => (disabledReason === undefined ? {} : { disabledReason });
