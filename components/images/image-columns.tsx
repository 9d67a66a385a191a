import { Size } from '@/components/kit/data/amounts';
import { nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { paths } from '@/lib/paths';
import { ImageBadge } from './image-badge';
import { type Image, imageKind } from './image-look';

const column = columnsOf<Image>();
/** The columns of images. */
export const imageColumns = [
  nameColumn<Image>({ href: paths.image }),
  column.accessor('status', { header: 'Status', cell: ({ row: { original } }) => <ImageBadge image={original} /> }),
  column.accessor('visibility', {
    header: 'Source',
    cell: ({ getValue }) =>
      getValue() === 'public' ? <Badge tone="accent">Certified</Badge> : <Badge>This project</Badge>,
  }),
  column.accessor('format', {
    header: 'OS and format',
    meta: { from: 'lg' },
    cell: ({ row: { original } }) => <span className="whitespace-nowrap">{imageKind(original)}</span>,
  }),
  column.accessor('size_bytes', {
    header: 'Size',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <SizeOf bytes={getValue()} />,
  }),
  column.accessor('min_disk_gb', {
    header: 'Minimum',
    meta: { from: 'xl' },
    cell: ({ row: { original } }) => <Needs image={original} />,
  }),
];

function SizeOf({ bytes }: { bytes: number | null }) {
  return bytes === null ? <span className="text-ink-subtle">–</span> : <Size bytes={bytes} />;
}

function Needs({ image: { min_disk_gb, min_ram_mb } }: { image: Image }) {
  if (min_disk_gb === 0 && min_ram_mb === 0) return <span className="text-ink-subtle">–</span>;
  return (
    <span className="whitespace-nowrap text-ink-muted text-xs">
      {min_disk_gb > 0 && (
        <span className="block">
          <Size gigabytes={min_disk_gb} /> disk
        </span>
      )}
      {min_ram_mb > 0 && (
        <span className="block">
          <Size bytes={min_ram_mb * 1024 ** 2} /> memory
        </span>
      )}
    </span>
  );
}
