import {
  BellRing,
  BrickWallShield,
  Building2,
  Camera,
  ChartColumn,
  ChartSpline,
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
  Network,
  ReceiptText,
  Router as RouterIcon,
  ScrollText,
  Server,
  ShieldQuestionMark,
  Tags,
  Users,
  Vault,
  Wallet,
  Waypoints,
} from 'lucide-react';
import { paths } from '@/lib/paths';
import type { NavigationGroup } from './navigation';

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
        actions: [
          { label: 'Create instance', href: (project) => paths.newInstance(project), operation: 'createInstance' },
        ],
      },
      {
        label: 'Images',
        icon: Disc3,
        href: paths.images,
        keywords: ['operating system', 'linux', 'iso', 'qcow2', 'template', 'upload'],
        actions: [{ label: 'Upload image', href: paths.uploadImage, operation: 'uploadImage' }],
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
        actions: [{ label: 'Add key pair', href: paths.newKeyPair, operation: 'createKeyPair' }],
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
        actions: [{ label: 'Create network', href: paths.newNetwork, operation: 'createNetwork' }],
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
        actions: [{ label: 'Create security group', href: paths.newSecurityGroup, operation: 'createSecurityGroup' }],
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
        actions: [{ label: 'Create volume', href: (project) => paths.newVolume(project), operation: 'createVolume' }],
      },
      {
        label: 'Snapshots',
        icon: Camera,
        href: paths.snapshots,
        keywords: ['backup', 'copy', 'restore'],
        actions: [
          { label: 'Create snapshot', href: (project) => paths.newSnapshot(project), operation: 'createSnapshot' },
        ],
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
        actions: [{ label: 'Create secret', href: paths.newSecret, operation: 'createSecret' }],
      },
      {
        label: 'Users and roles',
        icon: Users,
        href: paths.users,
        operation: 'listUsers',
        keywords: ['people', 'members', 'invite', 'permissions'],
        actions: [{ label: 'Add user', href: paths.newUser, operation: 'createUser' }],
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
        operation: 'listIdentityProviders',
        keywords: ['oidc', 'workload', 'ci', 'github', 'gitlab', 'sts', 'assume role'],
        actions: [
          { label: 'Add identity provider', href: paths.newIdentityProvider, operation: 'createIdentityProvider' },
        ],
      },
      {
        label: 'Audit log',
        icon: ScrollText,
        href: paths.auditLog,
        operation: 'listAudit',
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
        actions: [
          {
            label: 'Add credit',
            href: (project) => paths.credit(project, { top_up: '25' }),
            operation: 'createCheckoutSession',
          },
        ],
      },
      {
        label: 'Payment methods',
        icon: CreditCard,
        href: (project) => paths.paymentMethods(project),
        operation: 'listPaymentMethods',
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
        actions: [{ label: 'Create API token', href: paths.newToken, operation: 'createToken' }],
      },
      {
        label: 'Billing details',
        icon: Building2,
        href: paths.billingDetails,
        keywords: ['address', 'company', 'vat', 'tax', 'invoice', 'customer'],
      },
    ],
  },
];
