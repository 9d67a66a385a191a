import { BrickWallShield, EthernetPort, Globe, Network, Router, Waypoints } from 'lucide-react';
import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const networks: ResourceKind = {
  label: 'Networks',
  shortcut: 'n',
  noun: 'network',
  type: 'network',
  icon: Network,
  href: paths.networks,
  keywords: ['vpc', 'subnet', 'cidr', 'dhcp', 'private', 'lan'],
  create: { label: 'Create network', href: paths.newNetwork, operation: 'createNetwork' },
};

export const topology: NavigationEntry = {
  label: 'Topology',
  icon: Waypoints,
  href: paths.topology,
  keywords: ['picture', 'map', 'diagram', 'network'],
};

export const routers: ResourceKind = {
  label: 'Routers',
  noun: 'router',
  icon: Router,
  href: paths.routers,
  keywords: ['gateway', 'nat', 'outside'],
};

export const ports: ResourceKind = {
  label: 'Ports',
  noun: 'port',
  type: 'port',
  icon: EthernetPort,
  href: paths.ports,
  keywords: ['interface', 'nic', 'mac', 'address'],
};

export const floatingIps: ResourceKind = {
  label: 'Floating IPs',
  shortcut: 'f',
  noun: 'floating IP',
  icon: Globe,
  href: (project) => paths.floatingIps(project),
  keywords: ['public', 'elastic', 'external', 'address', 'nat'],
};

export const securityGroups: ResourceKind = {
  label: 'Security groups',
  shortcut: 'g',
  noun: 'security group',
  type: 'security_group',
  icon: BrickWallShield,
  href: paths.securityGroups,
  keywords: ['firewall', 'rule', 'port', 'ingress', 'egress', 'open'],
  create: { label: 'Create security group', href: paths.newSecurityGroup, operation: 'createSecurityGroup' },
};
