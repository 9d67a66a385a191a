import { Time } from '@/components/kit/data/time';
import { createdColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { roleLabel } from '@/components/members/roles';
import type { Row } from '@/lib/client/list';

export type Token = Row<'/api/v1/auth/tokens'>;

type ProjectToken = Row<'/api/v1/identity/tokens'>;

/** What both tables show; one's own tokens and those of everybody differ only in whose they are. */
function tokenColumns<R extends Token>() {
  const column = columnsOf<R>();
  return [
    column.accessor(({ name }) => name, {
      id: 'name',
      header: 'Name',
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <span>
          <span className="block font-medium leading-4">{original.name}</span>
          <span className="font-mono text-ink-muted text-xs">{original.prefix}…</span>
        </span>
      ),
    }),
    column.accessor(({ role }) => roleLabel(role), { id: 'role', header: 'Role' }),
    statusColumn<R>(),
    column.accessor(({ expires_at }) => expires_at, {
      id: 'expires_at',
      header: 'Expires',
      meta: { from: 'md' },
      cell: ({ getValue }) => <Time at={getValue()} none="never" />,
    }),
    column.accessor(({ last_used_at }) => last_used_at, {
      id: 'last_used_at',
      header: 'Last used',
      cell: ({ getValue }) => <Time at={getValue()} none="never" />,
    }),
    createdColumn<R>({ from: 'lg' }),
  ];
}

/** One’s own tokens. */
export const ownTokenColumns = tokenColumns<Token>();

const [name, ...others] = tokenColumns<ProjectToken>();

const maker = columnsOf<ProjectToken>().accessor('user_email', { header: 'Created by', meta: { from: 'md' } });

/** The tokens of all members, with who created them. */
export const allTokenColumns = [...(name ? [name] : []), maker, ...others];
