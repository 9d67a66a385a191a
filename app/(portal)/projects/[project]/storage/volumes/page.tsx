'use client';

import { HardDrive } from 'lucide-react';
import { Id } from '@/components/kit/data/id';
import { statusOptions } from '@/components/kit/data/statuses';
import { Time } from '@/components/kit/data/time';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { AttachedTo } from '@/components/storage/attached-to';
import type { Volume } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { volumeColumns } from '@/components/storage/volume-columns';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const column = columnsOf<Volume>();
const columns = [
  ...volumeColumns,
  column.accessor('attachments', {
    header: 'Attached to',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <AttachedTo attachments={getValue()} />,
  }),
  column.accessor('snapshot_count', { header: 'Snapshots', meta: { align: 'right', from: 'lg' } }),
  column.accessor('id', {
    header: 'ID',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Id value={getValue()} label="volume ID" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

const statuses = statusOptions([
  'available',
  'in_use',
  'creating',
  'attaching',
  'detaching',
  'resizing',
  'deleting',
  'error',
]);

/** The project's disks, and which instance has each. */
export default function VolumesPage() {
  const { project } = useProject();
  const state = useTableState(['status']);
  const list = useList('/api/v1/storage/volumes', state.query);
  const { actionsOf, dialog } = useVolumeActions();
  const create = <CreateLink label="Create volume" href={paths.newVolume(project.slug)} operation="createVolume" />;
  return (
    <Page
      title="Volumes"
      description="Block storage that outlives instances. Attach, detach and resize volumes while instances run."
      actions={create}
    >
      <DataTable
        noun="volume"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        filters={[{ name: 'status', label: 'Status', options: statuses }]}
        actions={actionsOf}
        empty={
          <EmptyState
            icon={HardDrive}
            title="No volumes yet"
            action={create}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/storage/volumes \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "data", "size_gb": 10}'`}
          >
            A volume is a persistent disk. Attach it to an instance; its data is kept when the instance is deleted.
          </EmptyState>
        }
      />
      {dialog}
    </Page>
  );
}
