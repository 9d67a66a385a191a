'use client';

import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { Price } from '@/components/pricing/price';
import { resizeVolume } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { billedStorage } from '@/lib/domains/storage/billed';
import { formatGigabytes } from '@/lib/format/size';
import type { Volume } from './storage-can';
import { gigabytesOf, StorageImpact } from './storage-impact';

const bodyOf = ({ size_gb }: { size_gb: string }) => ({ size_gb: Number(size_gb) });

/** Makes a volume larger, also while it is attached. */
export function ResizeDialog({ volume, close }: { volume: Volume; close: () => void }) {
  const { api } = useProject();
  const resize = api.useMutation('post', '/api/v1/storage/volumes/{id}/resize');
  const schema = z.object({
    size_gb: z.string().check(
      z.trim(),
      z.regex(/^\d{1,5}$/, 'A whole number of GB.'),
      z.refine((text) => Number(text) > volume.size_gb, `Enter more than the current ${volume.size_gb} GB.`),
    ),
  });
  const form = useSchemaForm(schema, { size_gb: '' });
  const typed = useWatch({ control: form.control, name: 'size_gb' });
  const more = Math.max(0, gigabytesOf(typed) - volume.size_gb);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Resize ${volume.name}`}
      description={`Current size: ${formatGigabytes(volume.size_gb)}. Volumes can only be enlarged.`}
    >
      <FormShell
        form={form}
        loading={false}
        error={resize.error}
        failure="The volume could not be resized"
        submitLabel="Resize volume"
        operation="resizeVolume"
        cancel={close}
        copy={{ operation: resizeVolume, id: volume.id, schema, body: bodyOf }}
        onSubmit={async (values) => {
          await resize.mutateAsync({ params: { path: { id: volume.id } }, body: bodyOf(values) });
          close();
        }}
      >
        <TextField
          control={form.control}
          name="size_gb"
          label="New size"
          description={
            volume.attachments.length > 0
              ? 'The guest sees the new size immediately. Then grow the file system in the guest.'
              : undefined
          }
          inputMode="numeric"
          unit="GB"
          width="short"
          autoFocus
        />
        <Price
          claims={billedStorage(more, 'Additional cost')}
          missing="Enter a new size to see the price."
          billed="Added to the current price once the volume is resized."
          plain
        />
        <StorageImpact volumes={0} gigabytes={more} plain />
      </FormShell>
    </Dialog>
  );
}
