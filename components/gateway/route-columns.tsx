'use client';

import { ExternalLink } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { createdColumn, idColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { paths } from '@/lib/paths';
import type { Route } from './types';

const column = columnsOf<Route>();

/** The columns of the list of routes. */
export const routeColumns = [
  nameColumn<Route>({ href: paths.route }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original }, getValue }) => <StatusBadge status={getValue()} reason={original.status_reason} />,
  }),
  column.accessor('url', {
    header: 'Address',
    cell: ({ getValue }) => <RouteLink url={getValue()} />,
  }),
  column.accessor('backends', {
    header: 'Backends',
    cell: ({ getValue }) => (
      <span className="text-xs tabular-nums">
        {getValue()
          .map(({ name, weight }) => `${name} ${weight}%`)
          .join(', ')}
      </span>
    ),
  }),
  idColumn<Route>('gateway route'),
  createdColumn<Route>({ from: 'md' }),
];

/** The address that a route publishes, in a new tab. */
export function RouteLink({ url }: { url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-w-0 items-center gap-1 break-all text-accent text-xs underline"
    >
      {url}
      <ExternalLink className="size-3 shrink-0" aria-hidden="true" />
    </a>
  );
}
