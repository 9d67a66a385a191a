import { Size } from '@/components/kit/data/amounts';
import { nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { paths } from '@/lib/paths';
import type { Volume } from './storage-can';

/** What every table of volumes begins with. */
export const volumeColumns = [
  nameColumn<Volume>({ href: paths.volume }),
  statusColumn<Volume>(),
  columnsOf<Volume>().accessor('size_gb', {
    header: 'Size',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
];
