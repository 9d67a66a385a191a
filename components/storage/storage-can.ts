import type { Row } from '@/lib/client/list';
import { formatCount } from '@/lib/format/quantity';

export type Volume = Row<'/api/v1/storage/volumes'>;
export type Snapshot = Row<'/api/v1/storage/snapshots'>;
export type VolumeAction = 'attach' | 'detach' | 'resize' | 'snapshot' | 'delete';

type VolumeState = Pick<Volume, 'status' | 'attachments' | 'snapshot_count'>;

const wordOf = (status: string) => status.replaceAll('_', ' ');

/** Why a volume does not allow an action in its state; undefined if it does. The API decides by the same statuses. */
export function whyNotVolume(action: VolumeAction, volume: VolumeState): string | undefined {
  const { status, attachments, snapshot_count } = volume;
  if (status === 'deleting') return 'This volume is being deleted.';
  const [attachment] = attachments;
  switch (action) {
    case 'attach':
      if (attachment) return `Detach the volume from ${attachment.instance_name} first.`;
      return status === 'available' ? undefined : `Only for volumes that are available. This one is ${wordOf(status)}.`;
    case 'detach':
      if (!attachment) return 'Not attached.';
      return status === 'in_use' ? undefined : `Only for volumes that are in use. This one is ${wordOf(status)}.`;
    case 'resize':
    case 'snapshot':
      return status === 'available' || status === 'in_use'
        ? undefined
        : `Only for volumes that are available or in use. This one is ${wordOf(status)}.`;
    case 'delete':
      if (attachment) return `Detach the volume from ${attachment.instance_name} first.`;
      if (snapshot_count > 0) return `Delete its ${formatCount(snapshot_count, 'snapshot')} first.`;
      return undefined;
  }
}

/** Why no volume can be created from a snapshot; undefined if one can. */
export function whyNotRestore({ status }: Pick<Snapshot, 'status'>): string | undefined {
  return status === 'available' ? undefined : `Only for snapshots that are available. This one is ${wordOf(status)}.`;
}

/** Why a snapshot can't be deleted now; undefined when it can. */
export function whyNotDeleteSnapshot({ status }: Pick<Snapshot, 'status'>): string | undefined {
  return status === 'deleting' ? 'This snapshot is being deleted.' : undefined;
}

/** Why no volume can be attached to an instance; undefined if one can. */
export function whyNotInto({
  status,
  task,
  volume_ids,
}: Pick<Row<'/api/v1/compute/instances'>, 'status' | 'task' | 'volume_ids'>): string | undefined {
  if (task !== null) return `Wait for the current task to finish: ${task}.`;
  if (status !== 'active' && status !== 'stopped')
    return `Only for instances that are active or stopped. This one is ${status}.`;
  return volume_ids.length >= MOST_ATTACHED ? `Already has ${volume_ids.length} volumes, the maximum.` : undefined;
}

/** The limit of lib/domains/storage/attaching.ts. */
const MOST_ATTACHED = 16;
