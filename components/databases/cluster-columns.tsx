'use client';

import { Id } from '@/components/kit/data/id';
import { createdColumn, idColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatGigabytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { EngineName } from './engine-mark';
import { membersUp } from './members';
import type { Cluster } from './types';

const column = columnsOf<Cluster>();

/** The columns of every table of clusters. */
export const clusterColumns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <ClusterName cluster={original} />,
  }),
  column.accessor('engine', {
    header: 'Engine',
    cell: ({ row: { original } }) => <EngineName engine={original.engine} version={original.version} />,
  }),
  statusColumn<Cluster>(),
  column.accessor('endpoint', {
    header: 'Endpoint',
    cell: ({ getValue }) => {
      const endpoint = getValue();
      if (!endpoint) return '–';
      return (
        <span className="whitespace-nowrap">
          <Id value={`${endpoint.host}:${endpoint.port}`} label="endpoint" full />
        </span>
      );
    },
  }),
  column.accessor('instances', {
    header: 'Members',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => <span className="whitespace-nowrap tabular-nums">{membersUp(original)}</span>,
  }),
  column.accessor('vcpus', {
    id: 'size',
    header: 'Size',
    meta: { from: 'lg' },
    cell: ({ row: { original } }) => (
      <span className="whitespace-nowrap tabular-nums">
        {original.vcpus} vCPU · {formatGigabytes(original.ram_gb)} · {formatGigabytes(original.storage_gb)}
      </span>
    ),
  }),
  idColumn<Cluster>('cluster'),
  createdColumn<Cluster>({ from: 'lg' }),
];

/** "2 vCPU · 4 GB · 20 GB storage" of each member. */
export function sizeOf({ vcpus, ram_gb, storage_gb }: Pick<Cluster, 'vcpus' | 'ram_gb' | 'storage_gb'>): string {
  return `${vcpus} vCPU · ${formatGigabytes(ram_gb)} · ${formatGigabytes(storage_gb)} storage`;
}

function ClusterName({ cluster }: { cluster: Cluster }) {
  const { project } = useProject();
  const { name, namespace, preview, highly_available, upgrade_available } = cluster;
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
      <TextLink href={paths.database(project.slug, clusterKey(cluster))} strong>
        {name}
      </TextLink>
      {namespace !== 'default' && <Badge>{namespace}</Badge>}
      {preview !== null ? (
        <Badge tone="caution">Preview, {preview}</Badge>
      ) : (
        !highly_available && <Badge>No fail-over</Badge>
      )}
      {upgrade_available !== null && <Badge tone="accent">{upgrade_available} available</Badge>}
    </span>
  );
}
