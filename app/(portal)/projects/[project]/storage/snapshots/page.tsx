'use client';

import Link from 'next/link';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { snapshots } from '@/components/storage/domain';
import { useSnapshotActions } from '@/components/storage/snapshot-actions';
import { snapshotColumns } from '@/components/storage/snapshot-columns';
import type { Snapshot } from '@/components/storage/storage-can';
import { createSnapshot, listSnapshots } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const volume = columnsOf<Snapshot>().accessor('volume_name', {
  header: 'Volume',
  cell: ({ row: { original } }) => <VolumeLink snapshot={original} />,
});
const columns = [...snapshotColumns.slice(0, 2), volume, ...snapshotColumns.slice(2)];

function VolumeLink({ snapshot: { volume_id, volume_name } }: { snapshot: Snapshot }) {
  const { project } = useProject();
  return (
    <Link href={paths.volume(project.slug, volume_id)} className="hover:underline">
      {volume_name}
    </Link>
  );
}

/** The snapshots of all volumes. */
export default function SnapshotsPage() {
  return (
    <ResourceList
      of={snapshots}
      list={listSnapshots}
      command={createSnapshot}
      about="Point-in-time copies of volumes. Instant to create, also while the volume is in use."
      empty="Create a snapshot before a risky change. To go back, create a new volume from it."
      columns={columns}
      filters={['status']}
      actions={useSnapshotActions()}
    />
  );
}
