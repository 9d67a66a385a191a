'use client';

import { useParams, useRouter } from 'next/navigation';
import { ResourceHistory } from '@/components/compute/resource-history';
import { CreateLink } from '@/components/kit/page/create-link';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { volumes } from '@/components/storage/domain';
import { SnapshotTable } from '@/components/storage/snapshot-table';
import { whyNotVolume } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { VolumeProperties } from '@/components/storage/volume-properties';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** Details of a volume: configuration, snapshots and activity. */
export default function VolumePage() {
  const { volume: id } = useParams<{ volume: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const { actionsOf, dialog } = useVolumeActions({ onDeleted: () => router.push(paths.volumes(project.slug)) });
  const query = api.useQuery('get', '/api/v1/storage/volumes/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={volumes}
      query={query}
      actions={actionsOf}
      buttons={(volume) => (
        <CreateLink
          label="Create snapshot"
          href={paths.newSnapshot(project.slug, { volume_id: id })}
          operation="createSnapshot"
          disabledReason={whyNotVolume('snapshot', volume)}
        />
      )}
      tabs={(volume) => [
        { name: 'overview', label: 'Overview', content: () => <VolumeProperties volume={volume} /> },
        { name: 'snapshots', label: 'Snapshots', content: () => <SnapshotTable volumeId={id} /> },
        { name: 'activity', label: 'Activity', content: () => <ResourceHistory id={id} /> },
      ]}
    >
      {dialog}
    </ResourcePage>
  );
}
