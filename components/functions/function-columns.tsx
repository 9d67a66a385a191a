'use client';

import { Time } from '@/components/kit/data/time';
import { createdColumn, idColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { formatPercent } from '@/lib/format/number';
import { paths } from '@/lib/paths';
import type { CloudFunction } from './types';
import type { Rates } from './use-rates';

const column = columnsOf<CloudFunction>();
const muted = <span className="text-ink-muted">–</span>;

/** The columns of the list of functions. */
export function functionColumns(rates: ReadonlyMap<string, Rates> | undefined) {
  return [
    nameColumn<CloudFunction>({ href: (project, id) => paths.function(project, id) }),
    statusColumn<CloudFunction>(),
    column.accessor('template_id', { header: 'Runtime', meta: { from: 'md' } }),
    // Not accessors: a table keeps their values until its rows change, and the rates come after the rows.
    column.display({
      id: 'rate',
      header: 'Invocations',
      cell: ({ row }) => {
        const value = rates?.get(row.original.id)?.perMinute;
        return value ? <span className="tabular-nums">{value.toFixed(value < 10 ? 1 : 0)}/min</span> : muted;
      },
    }),
    column.display({
      id: 'errors',
      header: 'Errors',
      cell: ({ row }) => {
        const value = rates?.get(row.original.id)?.errors;
        if (value === undefined) return muted;
        return (
          <span className={value > 0 ? 'text-critical-ink tabular-nums' : 'tabular-nums'}>{formatPercent(value)}</span>
        );
      },
    }),
    column.accessor('last_invoked_at', {
      header: 'Last invoked',
      meta: { from: 'md' },
      cell: ({ getValue }) => {
        const at = getValue();
        return at === null ? <span className="text-ink-muted">Never</span> : <Time at={at} />;
      },
    }),
    idColumn<CloudFunction>('function'),
    createdColumn<CloudFunction>({ from: 'xl' }),
  ];
}
