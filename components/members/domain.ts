import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const users: ResourceKind = {
  label: 'Users and roles',
  shortcut: 'u',
  noun: 'user',
  icon: kindIcon('users'),
  href: paths.users,
  operation: 'listUsers',
  keywords: ['people', 'members', 'invite', 'permissions'],
  create: { label: 'Add user', href: (project) => paths.newUser(project), operation: 'createUser' },
};
