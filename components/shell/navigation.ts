import {
  Building2,
  CircleUserRound,
  Fingerprint,
  KeyRound,
  KeySquare,
  LayoutDashboard,
  type LucideIcon,
  ScrollText,
  Server,
  ShieldQuestionMark,
  ShieldUser,
  Users,
  UsersRound,
  Vault,
  Workflow,
} from 'lucide-react';
import type { Role } from '@/lib/client/project';
import { adminPaths, paths } from '@/lib/paths';

/** A page in the navigation and in the command palette. */
export interface NavigationEntry {
  label: string;
  icon: LucideIcon;
  href: (project: string) => string;
  /** The least role that can use the page; every member of the project, without. */
  role?: Role;
  /** Other words that people look for: "vm", "server". */
  keywords?: readonly string[];
  /** What can be begun from anywhere: "Create secret". */
  actions?: readonly { label: string; href: (project: string) => string; role?: Role }[];
}

export interface NavigationGroup {
  /** Absent for what stands above all groups. */
  label?: string;
  entries: readonly NavigationEntry[];
}

/**
 * The whole product's groups, in their final order, so that the navigation grows without moving. A page is added here
 * when it exists; a group without pages is not shown.
 */
export const portalNavigation: readonly NavigationGroup[] = [
  { entries: [{ label: 'Overview', icon: LayoutDashboard, href: paths.overview, keywords: ['home', 'quota'] }] },
  {
    label: 'Compute',
    entries: [
      {
        label: 'Instances',
        icon: Server,
        href: paths.instances,
        keywords: ['vm', 'server', 'machine', 'console', 'compute'],
        actions: [{ label: 'Create instance', href: paths.newInstance, role: 'member' }],
      },
      {
        label: 'Key pairs',
        icon: KeyRound,
        href: paths.keyPairs,
        keywords: ['ssh', 'public key', 'login'],
        actions: [{ label: 'Add key pair', href: paths.newKeyPair, role: 'member' }],
      },
    ],
  },
  { label: 'Networking', entries: [] },
  { label: 'Storage', entries: [] },
  { label: 'Databases', entries: [] },
  { label: 'Kubernetes', entries: [] },
  { label: 'Functions', entries: [] },
  { label: 'Workflows', entries: [] },
  { label: 'AI', entries: [] },
  { label: 'Observability', entries: [] },
  {
    label: 'Security',
    entries: [
      {
        label: 'Secrets',
        icon: Vault,
        href: paths.secrets,
        keywords: ['password', 'key', 'certificate', 'vault'],
        actions: [{ label: 'Create secret', href: paths.newSecret, role: 'member' }],
      },
      {
        label: 'Users and roles',
        icon: Users,
        href: paths.users,
        role: 'member',
        keywords: ['people', 'members', 'invite', 'permissions'],
        actions: [{ label: 'Add user', href: paths.newUser, role: 'admin' }],
      },
      {
        label: 'Policy simulator',
        icon: ShieldQuestionMark,
        href: paths.policy,
        keywords: ['permission', 'iam', 'may', 'simulate', 'access'],
      },
      {
        label: 'Identity providers',
        icon: Fingerprint,
        href: (project) => paths.identityProviders(project),
        role: 'admin',
        keywords: ['oidc', 'workload', 'ci', 'github', 'gitlab', 'sts', 'assume role'],
        actions: [{ label: 'Trust an issuer', href: paths.newIdentityProvider, role: 'admin' }],
      },
      {
        label: 'Audit log',
        icon: ScrollText,
        href: paths.auditLog,
        role: 'admin',
        keywords: ['history', 'who', 'record', 'security'],
      },
    ],
  },
  { label: 'Billing', entries: [] },
  {
    label: 'Project settings',
    entries: [
      {
        label: 'API tokens',
        icon: KeySquare,
        href: paths.tokens,
        keywords: ['credential', 'script', 'ci', 'key'],
        actions: [{ label: 'Create API token', href: paths.newToken }],
      },
    ],
  },
];

/** The back office's pages. */
export const adminNavigation: readonly NavigationGroup[] = [
  {
    entries: [
      { label: 'Overview', icon: LayoutDashboard, href: adminPaths.home, keywords: ['home', 'platform', 'numbers'] },
    ],
  },
  {
    label: 'Customers',
    entries: [
      {
        label: 'Tenants',
        icon: Building2,
        href: () => adminPaths.tenants(),
        keywords: ['project', 'customer', 'quota', 'limit', 'suspend'],
        actions: [{ label: 'Create tenant', href: adminPaths.newTenant }],
      },
      { label: 'Users', icon: UsersRound, href: () => adminPaths.users(), keywords: ['people', 'account', 'password'] },
    ],
  },
  {
    label: 'Platform',
    entries: [
      { label: 'Engines', icon: Server, href: adminPaths.engines, keywords: ['host', 'health', 'compute', 'kvm'] },
      {
        label: 'Operations',
        icon: Workflow,
        href: () => adminPaths.operations(),
        keywords: ['job', 'failed', 'retry', 'worker'],
      },
    ],
  },
  {
    label: 'Administration',
    entries: [
      { label: 'Audit log', icon: ScrollText, href: () => adminPaths.audit(), keywords: ['who', 'history', 'record'] },
      {
        label: 'Administrators',
        icon: ShieldUser,
        href: adminPaths.administrators,
        actions: [{ label: 'Add administrator', href: adminPaths.newAdministrator }],
      },
      {
        label: 'Your account',
        icon: CircleUserRound,
        href: adminPaths.account,
        keywords: ['password', 'second factor', 'totp', 'sessions'],
      },
    ],
  },
];

/** The entry that an address belongs to: the one with the longest address that it begins with. */
export function findPlace(
  groups: readonly NavigationGroup[],
  project: string,
  pathname: string,
): { group: NavigationGroup; entry: NavigationEntry } | undefined {
  const all = groups.flatMap((group) => group.entries.map((entry) => ({ group, entry })));
  return all
    .filter(({ entry }) => pathname === entry.href(project) || pathname.startsWith(`${entry.href(project)}/`))
    .sort((one, other) => other.entry.href(project).length - one.entry.href(project).length)[0];
}
