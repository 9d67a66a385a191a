'use client';

import { images } from '@/components/images/domain';
import { useImageActions } from '@/components/images/image-actions';
import { ImageBadge } from '@/components/images/image-badge';
import { type Image, imageKind } from '@/components/images/image-look';
import { UploadList } from '@/components/images/upload-list';
import { Size } from '@/components/kit/data/amounts';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { listImages } from '@/lib/client/operations/images';
import { paths } from '@/lib/paths';

const column = columnsOf<Image>();
const columns = [
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

const filters = [
  {
    name: 'visibility',
    label: 'Source',
    options: [
      { value: 'public', label: 'Certified' },
      { value: 'private', label: 'This project' },
    ],
  },
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'active', label: 'Active' },
      { value: 'queued', label: 'On first use' },
      { value: 'importing', label: 'Preparing' },
      { value: 'error', label: 'Error' },
    ],
  },
  {
    name: 'format',
    label: 'Format',
    options: ['QCOW2', 'RAW', 'ISO'].map((format) => ({ value: format, label: format })),
  },
];

/** What instances boot from: the certified catalogue, and what the project has uploaded. */
export default function ImagesPage() {
  return (
    <ResourceList
      of={images}
      list={listImages}
      about="Disk images for instances and volumes. Certified images are fetched on first use."
      empty="An image is the initial disk of an instance: an operating system, or your own build."
      above={<UploadList />}
      columns={columns}
      filters={filters}
      actions={useImageActions()}
    />
  );
}
