import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const networks: ResourceKind = {
  label: 'Networks',
  shortcut: 'n',
  noun: 'network',
  type: 'network',
  telemetry: { metrics: true },
  icon: kindIcon('network'),
  href: paths.networks,
  keywords: ['vpc', 'subnet', 'cidr', 'dhcp', 'private', 'lan'],
  create: { label: 'Create network', href: paths.newNetwork, operation: 'createNetwork' },
  found: { type: 'network', one: paths.network },
};

export const topology: NavigationEntry = {
  label: 'Topology',
  icon: kindIcon('waypoints'),
  href: paths.topology,
  keywords: ['picture', 'map', 'diagram', 'network'],
};

export const routers: ResourceKind = {
  label: 'Routers',
  noun: 'router',
  type: 'router',
  telemetry: { metrics: true },
  icon: kindIcon('router'),
  href: paths.routers,
  keywords: ['gateway', 'nat', 'outside'],
  found: { type: 'router', one: paths.router },
};

export const ports: ResourceKind = {
  label: 'Ports',
  noun: 'port',
  type: 'port',
  icon: kindIcon('ethernet-port'),
  href: paths.ports,
  keywords: ['interface', 'nic', 'mac', 'address'],
  found: { type: 'port', one: paths.port },
};

export const floatingIps: ResourceKind = {
  label: 'Floating IPs',
  shortcut: 'f',
  noun: 'floating IP',
  icon: kindIcon('globe'),
  href: (project) => paths.floatingIps(project),
  keywords: ['public', 'elastic', 'external', 'address', 'nat'],
  found: { type: 'floating_ip', one: (project, _, search) => paths.floatingIps(project, search) },
};

export const securityGroups: ResourceKind = {
  label: 'Security groups',
  shortcut: 'g',
  noun: 'security group',
  type: 'security_group',
  icon: kindIcon('brick-wall-shield'),
  href: paths.securityGroups,
  keywords: ['firewall', 'rule', 'port', 'ingress', 'egress', 'open'],
  create: { label: 'Create security group', href: paths.newSecurityGroup, operation: 'createSecurityGroup' },
  found: { type: 'security_group', one: paths.securityGroup },
};
