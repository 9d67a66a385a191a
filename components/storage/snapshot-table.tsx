'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { statusOptions } from '@/components/kit/data/statuses';
import { Time } from '@/components/kit/data/time';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { useSnapshotActions } from './snapshot-actions';
import type { Snapshot } from './storage-can';

const column = columnsOf<Snapshot>();
const ofVolume = column.accessor('volume_name', {
  header: 'Volume',
  meta: { from: 'sm' },
  cell: ({ row: { original } }) => <VolumeLink snapshot={original} />,
});
const own = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <div className="max-w-xs">
        <span className="font-medium">{original.name}</span>
        {original.description && (
          <p className="truncate text-ink-muted text-xs max-sm:hidden">{original.description}</p>
        )}
      </div>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.status_reason} />,
  }),
];
const rest = [
  column.accessor('size_gb', {
    header: 'Size',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
  column.accessor('id', {
    header: 'ID',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Id value={getValue()} label="snapshot ID" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];
const ofAll = [...own, ofVolume, ...rest];
const ofOne = [...own, ...rest];

function VolumeLink({ snapshot: { volume_id, volume_name } }: { snapshot: Snapshot }) {
  const { project } = useProject();
  return (
    <Link href={paths.volume(project.slug, volume_id)} className="hover:underline">
      {volume_name}
    </Link>
  );
}

const statuses = statusOptions(['available', 'creating', 'deleting', 'error']);

/** The project's snapshots, or those of one volume. */
export function SnapshotTable({ volumeId, empty }: { volumeId?: string; empty: ReactNode }) {
  const state = useTableState(['status']);
  const list = useList('/api/v1/storage/snapshots', { ...state.query, volume_id: volumeId });
  const actionsOf = useSnapshotActions();
  return (
    <DataTable
      noun="snapshot"
      list={list}
      state={state}
      columns={volumeId === undefined ? ofAll : ofOne}
      rowName={({ name }) => name}
      filters={[{ name: 'status', label: 'Status', options: statuses }]}
      actions={actionsOf}
      empty={empty}
    />
  );
}
