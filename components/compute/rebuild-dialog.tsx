'use client';

import * as z from 'zod/mini';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Dialog } from '@/components/kit/ui/dialog';
import { useList } from '@/lib/client/list';
import { actOnInstance } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import type { Instance } from './instance-actions';
import { tooSmallFor, usable } from './instance-choices';

interface RebuildDialogProps {
  instance: Instance;
  close: () => void;
}

const bodyOf = ({ image_id }: { image_id: string }) => ({ action: 'rebuild' as const, image_id });

/** Puts a new disk in place of the old one, from the same image or another. */
export function RebuildDialog({ instance, close }: RebuildDialogProps) {
  const { api } = useProject();
  const images = useList('/api/v1/images/images', { limit: 200 });
  const rebuild = api.useMutation('post', '/api/v1/compute/instances/{id}/action');
  const schema = z.object({
    image_id: z.string().check(z.minLength(1, 'Choose an image.')),
    confirmed: z.string().check(z.refine((text) => text === instance.name, `Enter ${instance.name}.`)),
  });
  const form = useSchemaForm(schema, { image_id: instance.image_id, confirmed: '' });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Rebuild ${instance.name}`}
      description="The boot disk is replaced and its data is lost. The ID, IP addresses and volumes are kept."
    >
      {images.error && !images.data ? (
        <ErrorNotice title="The images could not be loaded" error={images.error} />
      ) : (
        <FormShell
          form={form}
          loading={images.data === undefined}
          error={rebuild.error}
          failure="The instance could not be rebuilt"
          submitLabel="Rebuild instance"
          danger
          cancel={close}
          copy={{ operation: actOnInstance, id: instance.id, schema, body: bodyOf }}
          onSubmit={async (values) => {
            await rebuild.mutateAsync({ params: { path: { id: instance.id } }, body: bodyOf(values) });
            close();
          }}
        >
          <SelectField
            control={form.control}
            name="image_id"
            label="Image"
            options={usable(images.data?.rows ?? []).map((image) => {
              const reason = tooSmallFor(image, instance.flavor);
              return {
                value: image.id,
                label: image.id === instance.image_id ? `${image.name} · current image` : image.name,
                ...(reason === undefined ? {} : { disabledReason: reason }),
              };
            })}
          />
          <TextField
            control={form.control}
            name="confirmed"
            label="To confirm, enter the instance name"
            placeholder={instance.name}
            autoComplete="off"
          />
        </FormShell>
      )}
    </Dialog>
  );
}
