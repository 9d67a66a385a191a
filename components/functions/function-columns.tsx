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
    column.accessor(({ id }) => rates?.get(id)?.perMinute, {
      id: 'rate',
      header: 'Invocations',
      cell: ({ getValue }) => {
        const value = getValue();
        return value ? <span className="tabular-nums">{value.toFixed(value < 10 ? 1 : 0)}/min</span> : muted;
      },
    }),
    column.accessor(({ id }) => rates?.get(id)?.errors, {
      id: 'errors',
      header: 'Errors',
      cell: ({ getValue }) => {
        const value = getValue();
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
