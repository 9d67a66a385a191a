import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { newName } from '@/lib/core/resources/rename';
import { tagFilter } from '@/lib/core/tags/schema';

/** 16 TB: what a QCOW2 file of a usual file system can hold. */
const MOST_GB = 16 * 1024;

export const volumeStatuses = [
  'creating',
  'available',
  'attaching',
  'in_use',
  'detaching',
  'resizing',
  'deleting',
  'error',
] as const;
export type VolumeStatus = (typeof volumeStatuses)[number];

export const snapshotStatuses = ['creating', 'available', 'deleting', 'error'] as const;
export type SnapshotStatus = (typeof snapshotStatuses)[number];

const description = z
  .string()
  .trim()
  .max(500)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .default('');
const sizeGb = z.int().min(1).max(MOST_GB).meta({ description: 'Whole GB; 1,024 GB count as 1 TB of the quota.' });
const statusReason = z.string().nullable().meta({ description: 'Why it has this status, or what it is waiting for.' });

export const volume = z
  .strictObject({
    id,
    name: displayName,
    description: z.string(),
    size_gb: sizeGb,
    status: z.enum(volumeStatuses),
    status_reason: statusReason,
    image_id: id.nullable().meta({ description: 'The image that it was created from.' }),
    snapshot_id: id.nullable().meta({ description: 'The snapshot that it was created from, while that exists.' }),
    attachments: z
      .array(z.strictObject({ instance_id: id, instance_name: z.string(), attached_at: timestamp }))
      .meta({ description: 'At most one. In the guest it is a SCSI disk whose serial is the volume’s id.' }),
    snapshot_count: z.int(),
    ...times,
  })
  .meta({ id: 'Volume' });
export type Volume = z.output<typeof volume>;

export const updateVolume = newName('UpdateVolume');
export const createVolume = z
  .strictObject({
    name: displayName,
    description,
    size_gb: sizeGb,
    image_id: reference.optional().meta({ description: 'Image to copy to the volume.' }),
    snapshot_id: reference.optional().meta({ description: 'Snapshot to create the volume from.' }),
  })
  .refine(({ image_id, snapshot_id }) => image_id === undefined || snapshot_id === undefined, {
    path: ['snapshot_id'],
    error: 'give either an image or a snapshot, not both',
  })
  .meta({ id: 'CreateVolume', example: { name: 'data', size_gb: 10 } });
export type CreateVolume = z.output<typeof createVolume>;

export const attachVolume = z.strictObject({ instance_id: reference }).meta({
  id: 'AttachVolume',
  example: { instance_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' },
});

export const detachVolume = z.strictObject({}).meta({ id: 'DetachVolume', example: {} });

export const resizeVolume = z
  .strictObject({ size_gb: sizeGb.meta({ description: 'Must be more than the current size.' }) })
  .meta({ id: 'ResizeVolume', example: { size_gb: 20 } });

export const snapshot = z
  .strictObject({
    id,
    name: displayName,
    description: z.string(),
    volume_id: id,
    volume_name: z.string(),
    size_gb: sizeGb.meta({
      description: 'Size of the volume at the time; minimum size of a volume created from the snapshot.',
    }),
    status: z.enum(snapshotStatuses),
    status_reason: statusReason,
    ...times,
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.output<typeof snapshot>;

export const createSnapshot = z.strictObject({ name: displayName, description, volume_id: reference }).meta({
  id: 'CreateSnapshot',
  example: { name: 'before-upgrade', volume_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' },
});
export type CreateSnapshot = z.output<typeof createSnapshot>;

const nameFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
};
export const volumeQuery = sortedQuery(
  {
    ...nameFilters,
    status: z.enum(volumeStatuses).optional(),
    instance_id: id.optional(),
    image_id: id.optional(),
    snapshot_id: id.optional(),
    tag: tagFilter,
  },
  ['name'],
);
export const snapshotQuery = sortedQuery(
  {
    ...nameFilters,
    status: z.enum(snapshotStatuses).optional(),
    volume_id: id.optional(),
    tag: tagFilter,
  },
  ['name'],
);
