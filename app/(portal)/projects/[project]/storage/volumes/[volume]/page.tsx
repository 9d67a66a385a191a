'use client';

import { Camera } from 'lucide-react';
import { useParams, useRouter } from 'next/navigation';
import { AddressTabs } from '@/components/compute/address-tabs';
import { ResourceHistory } from '@/components/compute/resource-history';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { SnapshotTable } from '@/components/storage/snapshot-table';
import { type Volume, whyNotVolume } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { VolumeProperties } from '@/components/storage/volume-properties';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** One volume: what it is, its snapshots, what happened to it. */
export default function VolumePage() {
  const { volume: id } = useParams<{ volume: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/storage/volumes/{id}', { params: { path: { id } } });
  return (
    <Page
      title={query.data?.name ?? 'Volume'}
      badge={query.data && <StatusBadge status={query.data.status} reason={query.data.status_reason} />}
      actions={query.data && <VolumeButtons volume={query.data} />}
    >
      <Loaded query={query} what="The volume" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(volume) => <VolumeTabs volume={volume} />}
      </Loaded>
    </Page>
  );
}

function VolumeButtons({ volume }: { volume: Volume }) {
  const { project } = useProject();
  const router = useRouter();
  const { actionsOf, dialog } = useVolumeActions({ onDeleted: () => router.push(paths.volumes(project.slug)) });
  return (
    <>
      <ActionMenu name={volume.name} actions={actionsOf(volume)} labelled />
      <CreateLink
        label="Create snapshot"
        href={paths.newSnapshot(project.slug, { volume_id: volume.id })}
        operation="createSnapshot"
        disabledReason={whyNotVolume('snapshot', volume)}
      />
      {dialog}
    </>
  );
}

function VolumeTabs({ volume }: { volume: Volume }) {
  const { project } = useProject();
  return (
    <AddressTabs
      label="Volume sections"
      href={(tab) => paths.volume(project.slug, volume.id, tab)}
      tabs={[
        { name: 'overview', label: 'Overview', content: () => <VolumeProperties volume={volume} /> },
        {
          name: 'snapshots',
          label: 'Snapshots',
          content: () => (
            <SnapshotTable
              volumeId={volume.id}
              empty={
                <EmptyState icon={Camera} title="No snapshots yet">
                  A snapshot keeps the state of the volume at a point in time. You can create new volumes from it.
                </EmptyState>
              }
            />
          ),
        },
        { name: 'activity', label: 'Activity', content: () => <ResourceHistory id={volume.id} /> },
      ]}
    />
  );
}
