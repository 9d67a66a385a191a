import {
  Activity,
  AppWindow,
  Bell,
  BellRing,
  Boxes,
  BrickWallShield,
  Building2,
  Camera,
  ChartLine,
  Cog,
  Coins,
  CreditCard,
  Disc3,
  FileBadge,
  Gauge,
  Globe,
  HardDrive,
  KeyRound,
  KeySquare,
  LayoutDashboard,
  LayoutGrid,
  LogIn,
  Logs,
  type LucideIcon,
  Network,
  Radio,
  ReceiptText,
  Scale,
  ScrollText,
  Search,
  Server,
  ShieldQuestionMark,
  ShieldUser,
  Siren,
  Users,
  Vault,
  Wallet,
  Workflow,
} from 'lucide-react';

/** The groups of the reference as its navigation shows them: by service, in the order of the portal's. */
export const sections: readonly { label: string; groups: Readonly<Record<string, LucideIcon>> }[] = [
  {
    label: 'Identity',
    groups: {
      Authentication: LogIn,
      'Users and roles': Users,
      'API tokens': KeySquare,
      Access: ShieldQuestionMark,
      'Single sign-on': AppWindow,
    },
  },
  { label: 'Compute', groups: { Instances: Server, Images: Disc3, 'Key pairs': KeyRound } },
  {
    label: 'Networking',
    groups: {
      Networks: Network,
      'Security groups': BrickWallShield,
      'Floating IPs': Globe,
      'Load balancers': Scale,
      Certificates: FileBadge,
    },
  },
  { label: 'Storage', groups: { Volumes: HardDrive, Snapshots: Camera } },
  { label: 'Security', groups: { Secrets: Vault, Audit: ScrollText } },
  { label: 'Observability', groups: { Logs: Logs, Metrics: ChartLine } },
  {
    label: 'Billing',
    groups: { Billing: Coins, Invoices: ReceiptText, Payments: CreditCard, 'Budget alerts': BellRing },
  },
  {
    label: 'Project',
    groups: {
      Catalog: LayoutGrid,
      Inventory: Boxes,
      Quota: Gauge,
      Operations: Workflow,
      Events: Radio,
      Notifications: Bell,
      Search,
    },
  },
  {
    label: 'Back office',
    groups: {
      'Back office: authentication': LogIn,
      'Back office: overview': LayoutDashboard,
      'Back office: tenants': Building2,
      'Back office: users': Users,
      'Back office: billing': Wallet,
      'Back office: audit': ScrollText,
      'Back office: administrators': ShieldUser,
      'Back office: engines': Cog,
      'Back office: operations': Activity,
      'Back office: incidents': Siren,
      'Back office: events': Radio,
      'Back office: notifications': Bell,
      'Back office: search': Search,
    },
  },
];

/** A group's name below its section: "Back office: tenants" is Tenants there. */
export function shortName(group: string): string {
  const name = group.replace(/^Back office: /, '');
  return name[0]?.toUpperCase() + name.slice(1);
}
