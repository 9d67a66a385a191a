'use client';

import Link from 'next/link';
import { Size } from '@/components/kit/data/amounts';
import { createdColumn, idColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import type { Bucket } from './types';

const column = columnsOf<Bucket>();

/** The columns of the list of buckets. */
export const bucketColumns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <BucketName bucket={original} />,
  }),
  column.accessor('objects', {
    header: 'Objects',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <span className="tabular-nums">{getValue().toLocaleString('en')}</span>,
  }),
  column.accessor('used_bytes', {
    header: 'Size',
    enableSorting: true,
    meta: { align: 'right' },
    cell: ({ row: { original } }) => (
      <span className="tabular-nums">
        <Size bytes={original.used_bytes} />
        {original.quota_gb !== null && <span className="text-ink-muted text-xs"> of {quotaOf(original)}</span>}
      </span>
    ),
  }),
  column.accessor('versioning', {
    header: 'Versions',
    meta: { from: 'lg' },
    cell: ({ getValue }) => versioningLabel[getValue()],
  }),
  idColumn<Bucket>('bucket'),
  createdColumn<Bucket>({ from: 'md' }),
];

export const versioningLabel = { off: 'Not kept', enabled: 'Kept', suspended: 'No longer kept' } as const;

/** The quota in words: "50 GB". */
export const quotaOf = ({ quota_gb }: Pick<Bucket, 'quota_gb'>) =>
  quota_gb === null ? 'No limit' : formatBytes(Math.round(quota_gb * 1024 ** 3));

function BucketName({ bucket: { name, acl, public_write } }: { bucket: Bucket }) {
  const { project } = useProject();
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-2">
      <Link href={paths.bucket(project.slug, name)} className="rounded-sm font-medium wrap-anywhere hover:underline">
        {name}
      </Link>
      {acl === 'public-read' && <Badge tone="caution">Public</Badge>}
      {public_write && <Badge tone="critical">Everyone may write</Badge>}
    </span>
  );
}
