import type { Row } from '@/lib/client/list';
import type { Role } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';

export type Volume = Row<'/api/v1/storage/volumes'>;
export type Snapshot = Row<'/api/v1/storage/snapshots'>;
export type VolumeAction = 'attach' | 'detach' | 'resize' | 'snapshot' | 'delete';

type VolumeState = Pick<Volume, 'status' | 'attachments' | 'snapshot_count'>;

const wordOf = (status: string) => status.replaceAll('_', ' ');

/** Why an action can't be used on a volume now; undefined when it can. The API decides by the same states. */
export function whyNotVolume(action: VolumeAction, volume: VolumeState, role: Role): string | undefined {
  const { status, attachments, snapshot_count } = volume;
  if (role === 'reader') return 'Requires the member role.';
  if (status === 'deleting') return 'It is being deleted.';
  const [attachment] = attachments;
  switch (action) {
    case 'attach':
      if (attachment) return `It is attached to ${attachment.instance_name}: detach it first.`;
      return status === 'available' ? undefined : `Possible when it is available; it is ${wordOf(status)} now.`;
    case 'detach':
      if (!attachment) return 'It is attached to no instance.';
      return status === 'in_use' ? undefined : `Possible when it is in use; it is ${wordOf(status)} now.`;
    case 'resize':
    case 'snapshot':
      return status === 'available' || status === 'in_use'
        ? undefined
        : `Possible when it is available or in use; it is ${wordOf(status)} now.`;
    case 'delete':
      if (attachment) return `It is attached to ${attachment.instance_name}: detach it first.`;
      if (snapshot_count > 0) return `It has ${formatCount(snapshot_count, 'snapshot')}: delete those first.`;
      return undefined;
  }
}

/** Why a volume can't be made from a snapshot now; undefined when it can. */
export function whyNotRestore({ status }: Pick<Snapshot, 'status'>, role: Role): string | undefined {
  if (role === 'reader') return 'Requires the member role.';
  return status === 'available' ? undefined : `Possible when it is available; it is ${wordOf(status)} now.`;
}

/** Why a snapshot can't be deleted now; undefined when it can. */
export function whyNotDeleteSnapshot({ status }: Pick<Snapshot, 'status'>, role: Role): string | undefined {
  if (role === 'reader') return 'Requires the member role.';
  return status === 'deleting' ? 'It is being deleted.' : undefined;
}

/** Why an instance can't take a volume now; undefined when it can. */
export function whyNotInto({
  status,
  task,
  volume_ids,
}: Pick<Row<'/api/v1/compute/instances'>, 'status' | 'task' | 'volume_ids'>): string | undefined {
  if (task !== null) return `Wait until it is done ${task}.`;
  if (status !== 'active' && status !== 'stopped') return `Possible when it is active or stopped; it is ${status} now.`;
  return volume_ids.length >= MOST_ATTACHED ? `It has ${volume_ids.length} volumes, as many as it may.` : undefined;
}

/** As many as a guest may have (lib/storage/attaching.ts). */
const MOST_ATTACHED = 16;
