import { ShieldCheck, ShieldOff } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Avatar } from '@/components/kit/ui/avatar';
import type { Row } from '@/lib/client/list';
import { roleLabel } from './roles';

export type User = Row<'/api/v1/identity/users'>;

const column = columnsOf<User>();

const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span className="flex items-center gap-2.5 py-0.5">
        <Avatar name={original.name} />
        <span className="min-w-0">
          <span className="block font-medium leading-4">{original.name}</span>
          <span className="block text-ink-muted text-xs">{original.email}</span>
        </span>
      </span>
    ),
  }),
  column.accessor('roles', { header: 'Role', cell: ({ getValue }) => roleLabel(getValue()[0] ?? 'reader') }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
  column.accessor('created_at', {
    header: 'Added',
    enableSorting: true,
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

const secondFactor = column.accessor('two_factor_enabled', {
  header: '2FA',
  meta: { from: 'md' },
  cell: ({ getValue }) => <SecondFactor enabled={getValue()} />,
});

/** The users of a project; whether they use two-factor authentication, for those who may know. */
export const userColumns = (withSecondFactor: boolean) =>
  withSecondFactor ? [...columns.slice(0, 3), secondFactor, ...columns.slice(3)] : columns;

function SecondFactor({ enabled }: { enabled: boolean | null }) {
  if (enabled === null) return <span className="text-ink-subtle">–</span>;
  const Icon = enabled ? ShieldCheck : ShieldOff;
  return (
    <span className={enabled ? 'inline-flex items-center gap-1.5' : 'inline-flex items-center gap-1.5 text-ink-muted'}>
      <Icon className={enabled ? 'size-4 text-positive' : 'size-4 text-ink-subtle'} aria-hidden="true" />
      {enabled ? 'On' : 'Off'}
    </span>
  );
}
