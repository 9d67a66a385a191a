'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { users } from '@/components/members/domain';
import { roleOptions } from '@/components/members/roles';
import { useUserActions } from '@/components/members/user-actions';
import { userColumns } from '@/components/members/user-columns';
import { isOpenTo } from '@/lib/client/may';
import { listUsers } from '@/lib/client/operations/identity';
import { useProject } from '@/lib/client/project';

/** Who belongs to the project, and what they may do in it. */
export default function UsersPage() {
  const { project } = useProject();
  const { actionsOf, dialog } = useUserActions();
  return (
    <ResourceList
      of={users}
      list={listUsers}
      about="Users of this project and their roles. A user can be a member of several projects."
      empty="Add users by e-mail address, each with the least privileged role that works."
      columns={userColumns(isOpenTo('createUser', project.role))}
      filters={[{ name: 'role', label: 'Role', options: roleOptions }, 'status']}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
