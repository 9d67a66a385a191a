'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { Size } from '@/components/kit/data/amounts';
import { CreateLink } from '@/components/kit/page/create-link';
import type { Fact } from '@/components/kit/page/facts';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { LazyPrice } from '@/components/pricing/price-column';
import { AttachedTo } from '@/components/storage/attached-to';
import { volumes } from '@/components/storage/domain';
import { SnapshotTable } from '@/components/storage/snapshot-table';
import { type Volume, whyNotVolume } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { VolumeProperties } from '@/components/storage/volume-properties';
import { getVolume, updateVolume } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { billedStorage } from '@/lib/domains/storage/billed';
import { paths } from '@/lib/paths';

/** Details of a volume: configuration, snapshots and activity. */
export default function VolumePage() {
  const { volume: id } = useParams<{ volume: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const { actionsOf, dialog } = useVolumeActions({ onDeleted: () => router.push(paths.volumes(project.slug)) });
  const rename = api.useMutation('patch', '/api/v1/storage/volumes/{id}');
  const query = api.useQuery('get', '/api/v1/storage/volumes/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={volumes}
      query={query}
      get={getVolume}
      facts={volumeFacts}
      rename={{
        operation: updateVolume,
        save: (name) => rename.mutateAsync({ params: { path: { id } }, body: { name } }),
      }}
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
        activityTab(id),
      ]}
    >
      {dialog}
    </ResourcePage>
  );
}

function volumeFacts({ size_gb, attachments }: Volume): Fact[] {
  return [
    ['Size', <Size key="size" gigabytes={size_gb} />],
    ['Attached to', <AttachedTo key="instance" attachments={attachments} />],
    ['Per hour', <LazyPrice key="price" claims={billedStorage(size_gb, 'Volume')} per="hour" />],
  ];
}
