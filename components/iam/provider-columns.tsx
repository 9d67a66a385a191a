import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { roleLabel } from '@/components/members/roles';
import type { Row } from '@/lib/client/list';

type Provider = Row<'/api/v1/iam/providers'>;

const column = columnsOf<Provider>();
/** The columns of identity providers. */
export const providerColumns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span>
        <span className="block font-medium leading-4">{original.name}</span>
        <span className="block font-mono text-ink-muted text-xs max-sm:max-w-[60vw] max-sm:truncate sm:break-all">
          {original.issuer}
        </span>
      </span>
    ),
  }),
  column.accessor('conditions', {
    header: 'Conditions',
    meta: { from: 'md' },
    cell: ({ getValue }) => (
      <ul className="space-y-0.5 font-mono text-xs">
        {Object.entries(getValue()).map(([claim, patterns]) => (
          <li key={claim} className="break-all">
            <span className="text-ink-muted">{claim}:</span> {patterns.join(' or ')}
          </li>
        ))}
      </ul>
    ),
  }),
  column.accessor('max_role', { header: 'Maximum role', cell: ({ getValue }) => roleLabel(getValue()) }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];
