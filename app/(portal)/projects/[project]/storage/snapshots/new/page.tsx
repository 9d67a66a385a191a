'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { Price } from '@/components/pricing/price';
import { type Volume, whyNotVolume } from '@/components/storage/storage-can';
import { text } from '@/lib/client/constraints';
import { useList } from '@/lib/client/list';
import { createSnapshot } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { billedStorage } from '@/lib/domains/storage/billed';
import { formatGigabytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';

const schema = z.object({
  name: text(createSnapshot.fields.name, 'Enter a name.'),
  volume_id: z.string().check(z.minLength(1, 'Choose a volume.')),
  description: text(createSnapshot.fields.description),
});

/** Freezes a volume as it is. */
export default function NewSnapshotPage() {
  const volumes = useList('/api/v1/storage/volumes', { limit: 200, sort: 'name' });
  return (
    <Page title="Create snapshot">
      {volumes.error && !volumes.data ? (
        <ErrorNotice
          title="The volumes could not be loaded"
          error={volumes.error}
          onRetry={() => void volumes.refetch()}
        />
      ) : (
        <SnapshotForm volumes={volumes.data?.rows} />
      )}
    </Page>
  );
}

function SnapshotForm({ volumes }: { volumes: readonly Volume[] | undefined }) {
  const { project, api } = useProject();
  const router = useRouter();
  const volumeId = useSearchParams().get('volume_id') ?? '';
  const create = api.useMutation('post', '/api/v1/storage/snapshots');
  const form = useSchemaForm(schema, { name: '', volume_id: volumeId, description: '' });
  const chosen = useWatch({ control: form.control, name: 'volume_id' });
  const volume = volumes?.find(({ id }) => id === chosen);
  return (
    <FormShell
      form={form}
      loading={volumes === undefined}
      error={create.error}
      failure="The snapshot could not be created"
      submitLabel="Create snapshot"
      operation="createSnapshot"
      disabledReason={volumes?.length === 0 ? 'No volumes yet. Create one first.' : undefined}
      copy={{ operation: createSnapshot, schema, body: (values) => values }}
      cancel={volumeId ? paths.volume(project.slug, volumeId, 'snapshots') : paths.snapshots(project.slug)}
      aside={
        <Price
          claims={billedStorage(volume?.size_gb ?? 0, 'Snapshot')}
          missing="Choose a volume to see the price."
          billed="Billed by the size of its volume until the snapshot is deleted."
        />
      }
      onSubmit={async (values) => {
        await create.mutateAsync({ body: values });
        router.push(volumeId ? paths.volume(project.slug, volumeId, 'snapshots') : paths.snapshots(project.slug));
      }}
    >
      <SelectField
        control={form.control}
        name="volume_id"
        label="Volume"
        description="For a volume in use, flush the guest’s file systems first (sync). Unwritten data is not included."
        options={(volumes ?? []).map((volume) => {
          const reason = whyNotVolume('snapshot', volume);
          return {
            value: volume.id,
            label: volume.name,
            description: formatGigabytes(volume.size_gb),
            ...(reason === undefined ? {} : { disabledReason: reason }),
          };
        })}
      />
      <TextField
        control={form.control}
        name="name"
        label="Name"
        autoComplete="off"
        placeholder="before-upgrade"
        autoFocus
      />
      <TextField control={form.control} name="description" label="Description" autoComplete="off" optional />
    </FormShell>
  );
}
