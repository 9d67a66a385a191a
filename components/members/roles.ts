import type { Role } from '@/lib/client/project';

/** The roles of a project (spec 5.4), the highest first, as people read them. */
export const roleOptions = [
  {
    value: 'admin',
    label: 'Admin',
    description: 'Everything, and users, roles, tokens of others, budget and audit log.',
  },
  { value: 'member', label: 'Member', description: 'Creates, changes and deletes resources, and reads secrets.' },
  { value: 'reader', label: 'Reader', description: 'Looks at everything but secrets, credentials and users.' },
] as const satisfies readonly { value: Role; label: string; description: string }[];

export function roleLabel(role: Role): string {
  return roleOptions.find(({ value }) => value === role)?.label ?? role;
}

/** Why only admins manage users; undefined for them. */
export function usersRefusal(role: Role): string | undefined {
  return role === 'admin' ? undefined : 'Managing users needs the role admin.';
}
