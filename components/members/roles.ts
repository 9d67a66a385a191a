import type { Role } from '@/lib/client/project';

/** The roles of a project (spec 5.4), from the least power to the most; each includes those before it. */
export const roleOptions = [
  { value: 'reader', label: 'Reader', description: 'Can view everything except secrets, credentials and users.' },
  { value: 'member', label: 'Member', description: 'Can create, change and delete resources, and read secrets.' },
  {
    value: 'admin',
    label: 'Admin',
    description: 'Full access, including users, roles, all tokens, budget and audit log.',
  },
] as const satisfies readonly { value: Role; label: string; description: string }[];

export function roleLabel(role: Role): string {
  return roleOptions.find(({ value }) => value === role)?.label ?? role;
}
