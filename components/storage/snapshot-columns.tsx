import { Size } from '@/components/kit/data/amounts';
import { createdColumn, idColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Snapshot } from './storage-can';

/** What every table of snapshots shows. */
export const snapshotColumns = [
  nameColumn<Snapshot>(),
  statusColumn<Snapshot>(),
  columnsOf<Snapshot>().accessor('size_gb', {
    header: 'Size',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
  idColumn<Snapshot>('snapshot'),
  createdColumn<Snapshot>(),
];
