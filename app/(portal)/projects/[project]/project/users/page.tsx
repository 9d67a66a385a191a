'use client';

import { MailPlus, ShieldCheck, ShieldOff, UserCog, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Avatar } from '@/components/kit/ui/avatar';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { users } from '@/components/members/domain';
import { Removal } from '@/components/members/removal';
import { roleLabel, roleOptions } from '@/components/members/roles';
import { type Row, useList } from '@/lib/client/list';
import { isOpenTo, type OperationId, useRefusal } from '@/lib/client/may';
import { listUsers } from '@/lib/client/operations/identity';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const RoleDialog = lazyComponent(() => import('@/components/members/role-dialog').then((module) => module.RoleDialog));

type User = Row<'/api/v1/identity/users'>;

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

/** Who belongs to the project, and what they may do in it. */
export default function UsersPage() {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const admins = useList('/api/v1/identity/users', { role: 'admin', status: 'active', limit: 2 });
  const me = api.useQuery('get', '/api/v1/auth/me');
  const remove = api.useMutation('delete', '/api/v1/identity/role-assignments');
  const [changing, setChanging] = useState<User>();
  const refusal = useRefusal();

  const refusalFor = (operation: OperationId, { id }: User) => {
    const lastAdmin = admins.data?.rows.length === 1 && admins.data.rows[0]?.id === id;
    return (
      refusal(operation) ??
      (lastAdmin ? 'The last admin cannot be removed. Make another user an admin first.' : undefined)
    );
  };
  const askToRemove = (user: User) => {
    const self = user.id === me.data?.id;
    const revoke = async () => {
      await remove.mutateAsync({ params: { query: { user_id: user.id } } });
      if (self) window.location.assign(paths.home());
    };
    if (user.status === 'invited') {
      return confirm({
        title: `Withdraw the invitation of ${user.email}?`,
        consequence: 'The invitation can no longer be accepted. You can invite the user again at any time.',
        confirmLabel: 'Withdraw invitation',
        onConfirm: revoke,
      });
    }
    confirm({
      title: self ? `Leave ${project.name}?` : `Remove ${user.name} from ${project.name}?`,
      consequence: <Removal user={user} self={self} />,
      confirmLabel: self ? 'Leave project' : 'Remove user',
      onConfirm: revoke,
    });
  };

  return (
    <ResourceList
      of={users}
      list={listUsers}
      about="Users of this project and their roles. A user can be a member of several projects."
      empty="Add users by e-mail address, each with the least privileged role that works."
      columns={
        isOpenTo('createUser', project.role) ? [...columns.slice(0, 3), secondFactor, ...columns.slice(3)] : columns
      }
      filters={[{ name: 'role', label: 'Role', options: roleOptions }, 'status']}
      actions={(user) => [
        {
          label: 'Change role',
          icon: UserCog,
          disabledReason: refusalFor('assignRole', user),
          onSelect: () => setChanging(user),
        },
        ...(user.status === 'invited'
          ? [
              {
                label: 'Invite again',
                icon: MailPlus,
                disabledReason: refusal('createUser'),
                href: paths.newUser(project.slug, {
                  email: user.email,
                  name: user.name,
                  role: user.roles[0] ?? 'reader',
                }),
              },
            ]
          : []),
        {
          label: user.status === 'invited' ? 'Withdraw invitation' : 'Remove from project',
          icon: UserMinus,
          danger: true,
          disabledReason: refusalFor('revokeRoles', user),
          onSelect: () => askToRemove(user),
        },
      ]}
    >
      {() => changing && <RoleDialog key={changing.id} user={changing} close={() => setChanging(undefined)} />}
    </ResourceList>
  );
}

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
