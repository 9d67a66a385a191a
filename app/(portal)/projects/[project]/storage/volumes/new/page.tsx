'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { Price } from '@/components/pricing/lazy-price';
import { gigabytesOf, StorageImpact } from '@/components/storage/storage-impact';
import { type SourceKind, useVolumeSources, type VolumeSources } from '@/components/storage/volume-sources';
import { text, wholeNumber } from '@/lib/client/constraints';
import { createVolume } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { billedStorage } from '@/lib/domains/storage/billed';
import { paths } from '@/lib/paths';

// Loaded after the page, which would be too heavy with it.

const kinds = [
  { value: 'empty', label: 'Empty', description: 'A blank disk. Format it in the guest.' },
  { value: 'image', label: 'Image', description: 'A copy of the image’s disk.' },
  { value: 'snapshot', label: 'Snapshot', description: 'A volume at a point in time.' },
];

const { fields } = createVolume;
const schema = z
  .object({
    name: text(fields.name, 'Enter a name.'),
    description: text(fields.description),
    source: z.enum(['empty', 'image', 'snapshot']),
    image_id: z.string(),
    snapshot_id: z.string(),
    size_gb: wholeNumber(fields.size_gb, 'GB'),
  })
  .check(
    z.refine(({ source, image_id }) => source !== 'image' || image_id !== '', {
      path: ['image_id'],
      error: 'Choose an image.',
    }),
    z.refine(({ source, snapshot_id }) => source !== 'snapshot' || snapshot_id !== '', {
      path: ['snapshot_id'],
      error: 'Choose a snapshot.',
    }),
  );

function bodyOf({ source, image_id, snapshot_id, size_gb, ...values }: z.output<typeof schema>) {
  return {
    ...values,
    size_gb: Number(size_gb),
    ...(source === 'image' ? { image_id } : {}),
    ...(source === 'snapshot' ? { snapshot_id } : {}),
  };
}

/** Creates a volume; what it takes of the quota is seen before it is taken. */
export default function NewVolumePage() {
  const sources = useVolumeSources();
  return (
    <Page title="Create volume">
      {sources.error ? (
        <ErrorNotice title="The choices could not be loaded" error={sources.error} onRetry={sources.retry} />
      ) : (
        // Mounted anew with its choices, so that it begins with what the address asks for.
        <VolumeForm key={sources.data ? 'ready' : 'loading'} sources={sources.data} />
      )}
    </Page>
  );
}

function VolumeForm({ sources }: { sources: VolumeSources | undefined }) {
  const { project, api } = useProject();
  const router = useRouter();
  const params = useSearchParams();
  const asked = { image: params.get('image_id') ?? '', snapshot: params.get('snapshot_id') ?? '' };
  const create = api.useMutation('post', '/api/v1/storage/volumes');
  const first: SourceKind = asked.image ? 'image' : asked.snapshot ? 'snapshot' : 'empty';
  const form = useSchemaForm(schema, {
    name: '',
    description: '',
    source: first,
    image_id: asked.image,
    snapshot_id: asked.snapshot,
    size_gb: String(sources?.least({ kind: first, id: asked.image || asked.snapshot }) ?? 10),
  });
  const [kind, image, snapshot, size] = useWatch({
    control: form.control,
    name: ['source', 'image_id', 'snapshot_id', 'size_gb'],
  });
  const chosen = kind === 'image' ? image : kind === 'snapshot' ? snapshot : '';
  const least = sources?.least({ kind, id: chosen });
  const tooSmall = least !== undefined && gigabytesOf(size) > 0 && gigabytesOf(size) < least;
  return (
    <FormShell
      form={form}
      loading={sources === undefined}
      error={create.error}
      failure="The volume could not be created"
      submitLabel="Create volume"
      operation="createVolume"
      disabledReason={tooSmall ? `The source needs at least ${least} GB.` : undefined}
      copy={{ operation: createVolume, schema, body: bodyOf }}
      cancel={paths.volumes(project.slug)}
      aside={
        <>
          <Price
            claims={billedStorage(gigabytesOf(size), 'Volume')}
            missing="Enter a size to see the price."
            billed="Billed until it is deleted, whether attached or not."
          />
          <StorageImpact volumes={1} gigabytes={gigabytesOf(size)} />
        </>
      }
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync({ body: bodyOf(values) });
        router.push(paths.volume(project.slug, id));
      }}
    >
      <TextField control={form.control} name="name" label="Name" autoComplete="off" placeholder="data" autoFocus />
      <CardsField control={form.control} name="source" label="Source" options={kinds} />
      {kind === 'image' && (
        <SelectField control={form.control} name="image_id" label="Image" options={sources?.images ?? []} />
      )}
      {kind === 'snapshot' && (
        <SelectField control={form.control} name="snapshot_id" label="Snapshot" options={sources?.snapshots ?? []} />
      )}
      <TextField
        control={form.control}
        name="size_gb"
        label="Size"
        description={
          least === undefined
            ? 'The volume can be enlarged later, never shrunk.'
            : `At least ${least} GB for this source. The volume can be enlarged later, never shrunk.`
        }
        inputMode="numeric"
        unit="GB"
        width="short"
      />
      <TextField control={form.control} name="description" label="Description" autoComplete="off" optional />
    </FormShell>
  );
}
