'use client';

import { Time } from '@/components/kit/data/time';
import { idColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatBytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { EngineName } from './engine-mark';
import { type Backup, backupKindLabels } from './types';

const column = columnsOf<Backup>();

/** The columns of the project's backups. */
export const backupColumns = [
  column.accessor('name', { header: 'Cluster', cell: ({ row: { original } }) => <ClusterOf backup={original} /> }),
  column.accessor('engine', {
    header: 'Engine',
    cell: ({ row: { original } }) => <EngineName engine={original.engine} version={original.version} />,
  }),
  column.accessor('kind', { header: 'Kind', cell: ({ getValue }) => backupKindLabels[getValue()] }),
  statusColumn<Backup>(),
  column.accessor('size_bytes', {
    header: 'Size',
    meta: { align: 'right' },
    enableSorting: true,
    cell: ({ getValue }) => {
      const bytes = getValue();
      return <span className="whitespace-nowrap tabular-nums">{bytes === null ? '–' : formatBytes(bytes)}</span>;
    },
  }),
  column.accessor('verified_at', {
    header: 'Verified',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="Not yet" />,
  }),
  column.accessor('expires_at', {
    header: 'Expires',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="Never" />,
  }),
  idColumn<Backup>('backup'),
  column.accessor('created_at', {
    header: 'Time',
    enableSorting: true,
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function ClusterOf({ backup }: { backup: Backup }) {
  const { project } = useProject();
  const { name, cluster_deleted } = backup;
  return (
    <span className="inline-flex flex-wrap items-center gap-2 wrap-anywhere">
      {cluster_deleted ? (
        <>
          <span className="font-medium">{name}</span> <Badge>Deleted</Badge>
        </>
      ) : (
        <TextLink href={paths.database(project.slug, clusterKey(backup), 'backups')} strong>
          {name}
        </TextLink>
      )}
    </span>
  );
}
