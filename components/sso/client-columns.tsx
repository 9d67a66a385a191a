import { createdColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';

type Client = Row<'/api/v1/workspace/sso/clients'>;
const column = columnsOf<Client>();
/** The columns of applications with single sign-on. */
export const clientColumns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span>
        <span className="block break-words font-medium leading-4">{original.name}</span>
        <span className="font-mono text-ink-muted text-xs">{original.id}</span>
      </span>
    ),
  }),
  column.accessor('redirect_uris', {
    header: 'Redirect URLs',
    meta: { from: 'md' },
    cell: ({ getValue }) => (
      <ul className="space-y-0.5 font-mono text-xs">
        {getValue().map((uri) => (
          <li key={uri} className="break-all">
            {uri}
          </li>
        ))}
      </ul>
    ),
  }),
  createdColumn<Client>({ from: 'lg' }),
];
