'use client';

import { MailPlus, UserCog, UserMinus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Confirmation } from '@/components/kit/page/confirm';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useList } from '@/lib/client/list';
import { type OperationId, useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { Removal } from './removal';
import type { User } from './user-columns';

const RoleDialog = lazyComponent(() => import('./role-dialog').then((module) => module.RoleDialog));

/** What can be done with the users of a project; and the dialog that an action opened, to be put on the page. */
export function useUserActions(): { actionsOf: (user: User) => Action[]; dialog: ReactNode } {
  const { project, api } = useProject();
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
  const removalOf = (user: User, self: boolean): Confirmation => {
    const revoke = async () => {
      await remove.mutateAsync({ params: { query: { user_id: user.id } } });
      if (self) window.location.assign(paths.home());
    };
    if (user.status === 'invited') {
      return {
        title: `Withdraw the invitation of ${user.email}?`,
        consequence: 'The invitation can no longer be accepted. You can invite the user again at any time.',
        confirmLabel: 'Withdraw invitation',
        onConfirm: revoke,
      };
    }
    return {
      title: self ? `Leave ${project.name}?` : `Remove ${user.name} from ${project.name}?`,
      consequence: <Removal user={user} self={self} />,
      confirmLabel: self ? 'Leave project' : 'Remove user',
      onConfirm: revoke,
    };
  };

  const actionsOf = (user: User) => {
    const self = user.id === me.data?.id;
    return [
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
        ...removalWords(user, self),
        icon: UserMinus,
        danger: true,
        disabledReason: refusalFor('revokeRoles', user),
        confirmation: removalOf(user, self),
      },
    ];
  };
  const dialog = changing && <RoleDialog key={changing.id} user={changing} close={() => setChanging(undefined)} />;
  return { actionsOf, dialog };
}

/** Leaving has a label of its own: whoever selects all users does not leave with them. */
function removalWords({ status }: User, self: boolean): Pick<Action, 'label' | 'several'> {
  if (status === 'invited')
    return { label: 'Withdraw invitation', several: (users) => `Withdraw invitations of ${users}` };
  if (self) return { label: 'Leave project' };
  return { label: 'Remove from project', several: (users) => `Remove ${users} from project` };
}
