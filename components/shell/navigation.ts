import {
  BellRing,
  BrickWallShield,
  Building2,
  CalendarCheck,
  Camera,
  ChartColumn,
  ChartSpline,
  CircleUserRound,
  Coins,
  Cpu,
  CreditCard,
  Disc3,
  EthernetPort,
  Fingerprint,
  Gauge,
  Globe,
  HardDrive,
  KeyRound,
  KeySquare,
  LayoutDashboard,
  type LucideIcon,
  Network,
  ReceiptText,
  Router as RouterIcon,
  Scale,
  ScrollText,
  Server,
  ShieldQuestionMark,
  ShieldUser,
  Snowflake,
  Tags,
  TrendingUp,
  Undo2,
  Users,
  UsersRound,
  Vault,
  Wallet,
  Waypoints,
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
        actions: [{ label: 'Create instance', href: (project) => paths.newInstance(project), role: 'member' }],
      },
      {
        label: 'Images',
        icon: Disc3,
        href: paths.images,
        keywords: ['operating system', 'linux', 'iso', 'qcow2', 'template', 'upload'],
        actions: [{ label: 'Upload image', href: paths.uploadImage, role: 'member' }],
      },
      {
        label: 'Flavors',
        icon: Cpu,
        href: paths.flavors,
        keywords: ['size', 'vcpu', 'memory', 'type', 'plan'],
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
  {
    label: 'Networking',
    entries: [
      {
        label: 'Networks',
        icon: Network,
        href: paths.networks,
        keywords: ['vpc', 'subnet', 'cidr', 'dhcp', 'private', 'lan'],
        actions: [{ label: 'Create network', href: paths.newNetwork, role: 'member' }],
      },
      {
        label: 'Topology',
        icon: Waypoints,
        href: paths.topology,
        keywords: ['picture', 'map', 'diagram', 'network'],
      },
      {
        label: 'Security groups',
        icon: BrickWallShield,
        href: paths.securityGroups,
        keywords: ['firewall', 'rule', 'port', 'ingress', 'egress', 'open'],
        actions: [{ label: 'Create security group', href: paths.newSecurityGroup, role: 'member' }],
      },
      {
        label: 'Floating IPs',
        icon: Globe,
        href: (project) => paths.floatingIps(project),
        keywords: ['public', 'elastic', 'external', 'address', 'nat'],
      },
      { label: 'Ports', icon: EthernetPort, href: paths.ports, keywords: ['interface', 'nic', 'mac', 'address'] },
      { label: 'Routers', icon: RouterIcon, href: paths.routers, keywords: ['gateway', 'nat', 'outside'] },
    ],
  },
  {
    label: 'Storage',
    entries: [
      {
        label: 'Volumes',
        icon: HardDrive,
        href: paths.volumes,
        keywords: ['disk', 'block', 'storage', 'attach'],
        actions: [{ label: 'Create volume', href: (project) => paths.newVolume(project), role: 'member' }],
      },
      {
        label: 'Snapshots',
        icon: Camera,
        href: paths.snapshots,
        keywords: ['backup', 'copy', 'restore'],
        actions: [{ label: 'Create snapshot', href: (project) => paths.newSnapshot(project), role: 'member' }],
      },
    ],
  },
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
  {
    label: 'Billing',
    entries: [
      {
        label: 'Costs',
        icon: ChartSpline,
        href: paths.billing,
        keywords: ['billing', 'spend', 'forecast', 'money', 'burn', 'price'],
      },
      {
        label: 'Usage',
        icon: ChartColumn,
        href: (project) => paths.usage(project),
        keywords: ['metering', 'csv', 'export', 'consumption', 'egress'],
      },
      {
        label: 'Budget',
        icon: Gauge,
        href: paths.budget,
        keywords: ['limit', 'freeze', 'threshold', 'cap', 'spend'],
      },
      {
        label: 'Budget alerts',
        icon: BellRing,
        href: paths.budgetAlerts,
        keywords: ['notification', 'webhook', 'e-mail', 'delivery', 'signing secret'],
      },
      {
        label: 'Credit',
        icon: Wallet,
        href: (project) => paths.credit(project),
        keywords: ['top-up', 'prepaid', 'balance', 'pay', 'ledger'],
        actions: [{ label: 'Add credit', href: (project) => paths.credit(project, { top_up: '25' }), role: 'admin' }],
      },
      {
        label: 'Payment methods',
        icon: CreditCard,
        href: (project) => paths.paymentMethods(project),
        role: 'member',
        keywords: ['card', 'visa', 'mastercard', 'stripe'],
      },
      {
        label: 'Invoices',
        icon: ReceiptText,
        href: paths.invoices,
        keywords: ['bill', 'pdf', 'statement', 'receipt'],
      },
      {
        label: 'Rate card',
        icon: Tags,
        href: paths.pricing,
        keywords: ['price', 'rates', 'tariff', 'pricing'],
      },
    ],
  },
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
    label: 'Billing',
    entries: [
      {
        label: 'Revenue',
        icon: TrendingUp,
        href: () => adminPaths.revenue(),
        keywords: ['billing', 'income', 'spend', 'money'],
      },
      {
        label: 'Invoices',
        icon: ReceiptText,
        href: () => adminPaths.invoices(),
        keywords: ['payment', 'failed', 'card', 'pdf', 'dunning'],
      },
      { label: 'Months', icon: CalendarCheck, href: adminPaths.closings, keywords: ['close', 'closing', 'month end'] },
      {
        label: 'Budgets and freezes',
        icon: Snowflake,
        href: () => adminPaths.budgets(),
        keywords: ['frozen', 'limit', 'spend'],
      },
      {
        label: 'Credit',
        icon: Coins,
        href: () => adminPaths.credits(),
        keywords: ['grant', 'top up', 'prepaid', 'balance'],
      },
      {
        label: 'Refunds and disputes',
        icon: Undo2,
        href: () => adminPaths.reversals(),
        keywords: ['refund', 'dispute', 'chargeback', 'owed', 'taken back'],
      },
      {
        label: 'Rates',
        icon: Tags,
        href: adminPaths.rates,
        keywords: ['price', 'pricing', 'rate card'],
        actions: [{ label: 'Add a rate', href: () => adminPaths.newRate() }],
      },
      {
        label: 'Reconciliation',
        icon: Scale,
        href: () => adminPaths.reconciliations(),
        keywords: ['check', 'difference', 'audit', 'billed'],
      },
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

/**
 * The entry that an address belongs to: the one with the longest address that it begins with. Every page's address
 * begins with the overview's, to which none of them belongs.
 */
export function findPlace(
  groups: readonly NavigationGroup[],
  project: string,
  pathname: string,
): { group: NavigationGroup; entry: NavigationEntry } | undefined {
  const all = groups.flatMap((group) => group.entries.map((entry) => ({ group, entry })));
  return all
    .filter(
      ({ group, entry }) =>
        pathname === entry.href(project) || (group.label && pathname.startsWith(`${entry.href(project)}/`)),
    )
    .sort((one, other) => other.entry.href(project).length - one.entry.href(project).length)[0];
}
