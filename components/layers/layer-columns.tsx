'use client';

import { createdColumn, idColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { formatBytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { type Layer, runtimeName, sharingOf } from './types';

const column = columnsOf<Layer>();

/** The columns of the list of layers. */
export const layerColumns = [
  nameColumn<Layer>({ href: (project, id) => paths.layer(project, id) }),
  column.accessor('latest_version', {
    header: 'Latest version',
    cell: ({ getValue }) => {
      const latest = getValue();
      if (!latest) return <span className="text-ink-muted">None yet</span>;
      return (
        <span className="tabular-nums">
          {latest.version} <span className="text-ink-muted text-xs">{formatBytes(latest.size_bytes)}</span>
        </span>
      );
    },
  }),
  column.accessor(({ latest_version }) => latest_version?.runtime ?? null, {
    id: 'runtime',
    header: 'Runtime',
    meta: { from: 'md' },
    cell: ({ row: { original }, getValue }) => (original.latest_version ? runtimeName(getValue()) : '–'),
  }),
  column.accessor('owner', {
    header: 'Shared',
    cell: ({ row: { original } }) => (original.is_own ? sharingOf(original) : `By ${original.owner}`),
  }),
  idColumn<Layer>('layer'),
  createdColumn<Layer>({ from: 'md' }),
];
