'use client';

import { ResourceTable } from '@/components/kit/resource/resource-table';
import { listSnapshots } from '@/lib/client/operations/storage';
import { snapshots } from './domain';
import { useSnapshotActions } from './snapshot-actions';
import { snapshotColumns } from './snapshot-columns';

/** The snapshots of one volume. */
export function SnapshotTable({ volumeId }: { volumeId: string }) {
  return (
    <ResourceTable
      of={snapshots}
      list={listSnapshots}
      query={{ volume_id: volumeId }}
      columns={snapshotColumns}
      filters={['status']}
      actions={useSnapshotActions()}
      empty="A snapshot keeps the state of the volume at a point in time. You can create new volumes from it."
    />
  );
}
