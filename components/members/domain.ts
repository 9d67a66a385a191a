import { Users } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const users: ResourceKind = {
  label: 'Users and roles',
  shortcut: 'u',
  noun: 'user',
  icon: Users,
  href: paths.users,
  operation: 'listUsers',
  keywords: ['people', 'members', 'invite', 'permissions'],
  create: { label: 'Add user', href: (project) => paths.newUser(project), operation: 'createUser' },
};
