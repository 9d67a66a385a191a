'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import * as z from 'zod/mini';
import { CardsField, TextField } from '@/components/form/fields';
import { FormShell, useSchemaForm } from '@/components/form/form-shell';
import { type Guess, guessFormat, guessName } from '@/components/images/guess';
import { ImageFileField } from '@/components/images/image-file-field';
import { UploadsGoOn } from '@/components/images/upload-list';
import { startUpload } from '@/components/images/uploads';
import { Page } from '@/components/page/page';
import { Price } from '@/components/pricing/price';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z.object({
  file: z.custom<File | undefined>().check(
    z.refine((file) => file instanceof File, 'Choose a file.'),
    z.refine((file) => !(file instanceof File) || file.size > 0, 'This file is empty.'),
  ),
  name: z.string().check(z.trim(), z.minLength(1, 'Enter a name.'), z.maxLength(100, 'Up to 100 characters.')),
  format: z.enum(['QCOW2', 'RAW', 'ISO']),
  description: z.string().check(z.trim(), z.maxLength(500, 'Up to 500 characters.')),
  min_ram_mb: z.string().check(z.trim(), z.regex(/^\d{0,7}$/, 'A whole number of MB, or nothing.')),
});

const formats = [
  { value: 'QCOW2', label: 'QCOW2', description: 'What clouds publish. It may not refer to other files.' },
  { value: 'RAW', label: 'RAW', description: 'A disk, byte for byte.' },
  { value: 'ISO', label: 'ISO', description: 'A disc: instances boot it as a CD.' },
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
    <Page
      title="Upload image"
      description="The bytes are checked against the format before anything can be made from them."
    >
      <FormShell
        form={form}
        loading={false}
        error={undefined}
        failure="The image could not be uploaded"
        submitLabel="Upload image"
        disabledReason={
          project.role === 'reader'
            ? 'Requires the member role.'
            : guess?.kind === 'packed'
              ? 'Unpack the file first.'
              : undefined
        }
        cancel={paths.images(project.slug)}
        aside={
          <Price
            claims={[{ metric: 'image_storage', quantity: gigabytes(file?.size ?? 0) }]}
            missing="Choose a file to see what keeping it costs."
            billed="Metered by the size of its file, from when it is checked until it is deleted."
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
              ? `It is packed. Unpack it first, for example with: ${guess.tool} ${file?.name ?? ''}`
              : form.formState.errors.file?.message
          }
        />
        <TextField control={form.control} name="name" label="Name" autoComplete="off" placeholder="my-linux" />
        <CardsField control={form.control} name="format" label="Format" options={formats} />
        <TextField
          control={form.control}
          name="description"
          label="Description"
          description="What it is, for those who choose from the list."
          autoComplete="off"
          optional
        />
        <TextField
          control={form.control}
          name="min_ram_mb"
          label="Least memory"
          description="Smaller flavors are not offered with it."
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
  if (guess.kind === 'known') return `Its bytes say that it is ${guess.format === 'ISO' ? 'an' : 'a'} ${guess.format}.`;
  if (guess.kind === 'unknown') return `Taken for ${guess.format} by its name; choose another format if that is wrong.`;
  return undefined;
}
