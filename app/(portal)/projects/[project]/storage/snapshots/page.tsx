'use client';

import { Camera } from 'lucide-react';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { SnapshotTable } from '@/components/storage/snapshot-table';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** Volumes as they were. */
export default function SnapshotsPage() {
  const { project } = useProject();
  const create = (
    <CreateLink label="Create snapshot" href={paths.newSnapshot(project.slug)} operation="createSnapshot" />
  );
  return (
    <Page
      title="Snapshots"
      description="Point-in-time copies of volumes. Instant to create, also while the volume is in use."
      actions={create}
    >
      <SnapshotTable
        empty={
          <EmptyState
            icon={Camera}
            title="No snapshots yet"
            action={create}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/storage/snapshots \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "before-upgrade", "volume_id": "…"}'`}
          >
            Create a snapshot before a risky change. To go back, create a new volume from it.
          </EmptyState>
        }
      />
    </Page>
  );
}
