'use client';

import { Disc3 } from 'lucide-react';
import Link from 'next/link';
import { useImageActions } from '@/components/images/image-actions';
import { ImageBadge } from '@/components/images/image-badge';
import { type Image, imageKind } from '@/components/images/image-look';
import { UploadList } from '@/components/images/upload-list';
import { Size } from '@/components/kit/data/amounts';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Badge } from '@/components/kit/ui/badge';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const column = columnsOf<Image>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <ImageName image={original} />,
  }),
  column.accessor('status', { header: 'Status', cell: ({ row: { original } }) => <ImageBadge image={original} /> }),
  column.accessor('visibility', {
    header: 'Source',
    meta: { from: 'sm' },
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

function ImageName({ image: { id, name, description } }: { image: Image }) {
  const { project } = useProject();
  return (
    <div className="max-w-sm">
      <Link href={paths.image(project.slug, id)} className="font-medium hover:underline">
        {name}
      </Link>
      {description && <p className="truncate text-ink-muted text-xs max-sm:hidden">{description}</p>}
    </div>
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
  const { project } = useProject();
  const state = useTableState(['visibility', 'status', 'format']);
  const list = useList('/api/v1/images/images', state.query);
  const actionsOf = useImageActions();
  const upload = <CreateLink label="Upload image" href={paths.uploadImage(project.slug)} operation="uploadImage" />;
  return (
    <Page
      title="Images"
      description="Disk images for instances and volumes. Certified images are fetched on first use."
      actions={upload}
    >
      <UploadList />
      <DataTable
        noun="image"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        filters={filters}
        actions={actionsOf}
        empty={
          <EmptyState icon={Disc3} title="No images yet" action={upload}>
            An image is the initial disk of an instance: an operating system, or your own build.
          </EmptyState>
        }
      />
    </Page>
  );
}
