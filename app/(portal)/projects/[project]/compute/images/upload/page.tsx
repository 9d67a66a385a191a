'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import * as z from 'zod/mini';
import { type Guess, guessFormat, guessName } from '@/components/images/guess';
import { ImageFileField } from '@/components/images/image-file-field';
import { UploadsGoOn } from '@/components/images/upload-list';
import { startUpload } from '@/components/images/uploads';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { Price } from '@/components/pricing/lazy-price';
import { text } from '@/lib/client/constraints';
import { uploadImage } from '@/lib/client/operations/images';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z.object({
  file: z.custom<File | undefined>().check(
    z.refine((file) => file instanceof File, 'Choose a file.'),
    z.refine((file) => !(file instanceof File) || file.size > 0, 'This file is empty.'),
  ),
  name: text(uploadImage.fields.name, 'Enter a name.'),
  format: z.enum(uploadImage.fields.format.enum),
  description: text(uploadImage.fields.description),
  min_ram_mb: z.string().check(z.trim(), z.regex(/^\d{0,7}$/, 'Enter a whole number of MB, or leave empty.')),
});

const formats = [
  { value: 'QCOW2', label: 'QCOW2', description: 'The usual format of cloud images. No backing files.' },
  { value: 'RAW', label: 'RAW', description: 'An uncompressed disk.' },
  { value: 'ISO', label: 'ISO', description: 'Instances boot it as a CD.' },
];

/** Sends an image of one's own; what it is is read from its bytes, and proved by the server. */
export default function UploadImagePage() {
  const { project } = useProject();
  const router = useRouter();
  const [guess, setGuess] = useState<Guess>();
  const form = useSchemaForm(schema, { file: undefined, name: '', format: 'QCOW2', description: '', min_ram_mb: '' });
  const file = form.watch('file');

  const choose = async (chosen: File) => {
    form.setValue('file', chosen, { shouldValidate: true });
    if (form.getValues('name') === '' || !form.formState.dirtyFields.name)
      form.setValue('name', guessName(chosen.name));
    const guessed = await guessFormat(chosen);
    setGuess(guessed);
    if (guessed.kind !== 'packed') form.setValue('format', guessed.format);
  };

  return (
    <Page title="Upload image" description="The file is verified before the image can be used.">
      <FormShell
        form={form}
        loading={false}
        error={undefined}
        failure="The image could not be uploaded"
        submitLabel="Upload image"
        operation="uploadImage"
        disabledReason={guess?.kind === 'packed' ? 'Decompress the file first.' : undefined}
        cancel={paths.images(project.slug)}
        aside={
          <Price
            claims={[{ metric: 'image_storage', quantity: gigabytes(file?.size ?? 0) }]}
            missing="Choose a file to see the price of storing it."
            billed="Billed by file size, from verification until the image is deleted."
          />
        }
        onSubmit={async ({ file: chosen, min_ram_mb, ...facts }) => {
          if (!chosen) return;
          startUpload(project.id, chosen, { ...facts, min_ram_mb: Number(min_ram_mb) });
          router.push(paths.images(project.slug));
        }}
      >
        <ImageFileField
          file={file}
          onFile={(chosen) => void choose(chosen)}
          note={guess && noteOf(guess)}
          error={
            guess?.kind === 'packed'
              ? `The file is compressed. Decompress it first, for example: ${guess.tool} ${file?.name ?? ''}`
              : form.formState.errors.file?.message
          }
        />
        <TextField
          control={form.control}
          name="name"
          label="Name"
          autoComplete="off"
          placeholder="my-linux"
          autoFocus
        />
        <CardsField control={form.control} name="format" label="Format" options={formats} />
        <TextField
          control={form.control}
          name="description"
          label="Description"
          description="Shown where users choose an image."
          autoComplete="off"
          optional
        />
        <TextField
          control={form.control}
          name="min_ram_mb"
          label="Minimum memory"
          description="Smaller flavors cannot be chosen with this image."
          inputMode="numeric"
          unit="MB"
          width="short"
          optional
        />
        <UploadsGoOn />
      </FormShell>
    </Page>
  );
}

/** Bytes in GB, to six decimals: never nothing where there is something. */
function gigabytes(bytes: number): number {
  return Math.ceil((bytes / 1024 ** 3) * 1e6) / 1e6;
}

function noteOf(guess: Guess): string | undefined {
  if (guess.kind === 'known') return `Detected from the file’s contents: ${guess.format}.`;
  if (guess.kind === 'unknown') return `Detected from the file name: ${guess.format}. Change it if that is wrong.`;
  return undefined;
}
