import Link from 'next/link';
import { Size } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { columnsOf } from '@/components/kit/table/data-table';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Volume } from './storage-can';

const column = columnsOf<Volume>();

/** What every table of volumes begins with. */
export const volumeColumns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <VolumeName volume={original} />,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.status_reason} />,
  }),
  column.accessor('size_gb', {
    header: 'Size',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
];

function VolumeName({ volume: { id, name, description } }: { volume: Volume }) {
  const { project } = useProject();
  return (
    <div className="max-w-xs">
      <Link href={paths.volume(project.slug, id)} className="font-medium hover:underline">
        {name}
      </Link>
      {description && <p className="truncate text-ink-muted text-xs max-sm:hidden">{description}</p>}
    </div>
  );
}
