import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';

const imageFormats = ['QCOW2', 'RAW', 'ISO'] as const;
export const imageStatuses = ['queued', 'saving', 'importing', 'active', 'deleting', 'error'] as const;
export type ImageStatus = (typeof imageStatuses)[number];
const visibilities = ['public', 'private'] as const;

const format = z.enum(imageFormats).meta({ description: 'File format. An ISO boots as an optical disc.' });

export const image = z
  .strictObject({
    id,
    name: displayName,
    description: z.string(),
    visibility: z
      .enum(visibilities)
      .meta({ description: 'public: available to every project. private: the project’s own.' }),
    format,
    status: z
      .enum(imageStatuses)
      .meta({ description: 'queued: fetched on first use; importing: being fetched, built or verified.' }),
    status_reason: z.string().nullable(),
    checksum_sha256: z.string().nullable().meta({ description: 'Of the file as received, in hex.' }),
    size_bytes: z.int().nullable(),
    received_bytes: z.int().meta({ description: 'Bytes received so far.' }),
    virtual_size_bytes: z.int().nullable().meta({ description: 'Size of the disk that the image describes.' }),
    min_disk_gb: z.int(),
    min_ram_mb: z.int(),
    os_distro: z.string().nullable(),
    os_version: z.string().nullable(),
    default_user: z.string().nullable().meta({ description: 'User name for signing in with an SSH key.' }),
    instance_count: z.int().meta({ description: 'Instances of the project created from this image.' }),
    volume_count: z.int().meta({ description: 'Volumes of the project created from this image.' }),
    ...times,
  })
  .meta({ id: 'Image' });
export type Image = z.output<typeof image>;

const minRam = z.coerce
  .number()
  .int()
  .min(0)
  .max(1_048_576)
  .meta({ description: 'Minimum disk size of a flavor for this image.' });

/** What an upload says of itself: fields of a form, or the query of raw bytes. */
export const imageFacts = z.strictObject({
  name: displayName,
  format,
  description: z
    .string()
    .trim()
    .max(500)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
    .default(''),
  min_ram_mb: minRam.default(0),
});
export type ImageFacts = z.output<typeof imageFacts>;

/** The same as query parameters, which a form does without. */
export const uploadQuery = z.strictObject({
  name: imageFacts.shape.name.optional(),
  format: imageFacts.shape.format.optional(),
  description: z.string().max(500).optional(),
  min_ram_mb: minRam.optional(),
});

/** The form, for the reference. */
export const uploadForm = imageFacts.extend({ file: z.string().meta({ format: 'binary' }) }).meta({
  id: 'UploadImage',
  example: { name: 'my-linux', format: 'QCOW2', file: '' },
});

export const imageQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    status: z.enum(imageStatuses).optional(),
    format: format.optional(),
    visibility: z.enum(visibilities).optional(),
    tag: tagFilter,
  },
  ['name'],
);
