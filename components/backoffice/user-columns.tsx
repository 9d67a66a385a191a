import { ShieldCheck, ShieldOff } from 'lucide-react';
import Link from 'next/link';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Avatar } from '@/components/kit/ui/avatar';
import { Badge } from '@/components/kit/ui/badge';
import { formatCount } from '@/lib/format/quantity';
import { adminPaths } from '@/lib/paths';
import { TextLink } from './text-link';
import type { PlatformUser } from './user-actions';

const column = columnsOf<PlatformUser>();

/** Who it is; `marked` says of administrators that they are, where others are in the list too. */
const person = (marked: boolean) =>
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span className="flex items-center gap-2.5 py-0.5">
        <Avatar name={original.name} />
        <span className="min-w-0">
          <Link href={adminPaths.user(original.id)} className="rounded-sm font-medium leading-4 hover:underline">
            {original.name}
          </Link>
          {marked && original.administrator && (
            <Badge tone="accent" className="ml-2">
              Administrator
            </Badge>
          )}
        </span>
      </span>
    ),
  });

const email = column.accessor('email', { header: 'E-mail', enableSorting: true });

const tenants = column.accessor('memberships', {
  header: 'Tenants',
  meta: { from: 'md' },
  cell: ({ getValue }) => {
    const [first, ...others] = getValue();
    if (!first) return <span className="text-ink-subtle">None</span>;
    return (
      <span className="inline-flex flex-wrap gap-x-1.5">
        <TextLink href={adminPaths.tenant(first.project_id)}>{first.tenant_name}</TextLink>
        {others.length > 0 && <span className="text-ink-muted">and {formatCount(others.length, 'other')}</span>}
      </span>
    );
  },
});

const secondFactor = column.accessor('two_factor_enabled', {
  header: '2FA',
  meta: { from: 'lg' },
  cell: ({ getValue }) => <SecondFactor on={getValue()} />,
});

const created = column.accessor('created_at', {
  header: 'Created',
  enableSorting: true,
  meta: { from: 'md' },
  cell: ({ getValue }) => <Time at={getValue()} />,
});

export const userColumns = [person(true), email, tenants, secondFactor, created];
export const administratorColumns = [person(false), email, secondFactor, created];

/** Whether a second factor is in force. */
export function SecondFactor({ on }: { on: boolean }) {
  const Icon = on ? ShieldCheck : ShieldOff;
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon className={on ? 'size-4 text-positive-ink' : 'size-4 text-ink-subtle'} aria-hidden="true" />
      {on ? 'On' : 'Off'}
    </span>
  );
}
