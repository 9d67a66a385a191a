import { Cpu, KeyRound, Server } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const instances: ResourceKind = {
  label: 'Instances',
  shortcut: 'i',
  noun: 'instance',
  icon: Server,
  href: paths.instances,
  keywords: ['vm', 'server', 'machine', 'console', 'compute'],
  create: { label: 'Create instance', href: (project) => paths.newInstance(project), operation: 'createInstance' },
  type: 'instance',
  telemetry: { metrics: true },
};

export const flavors: ResourceKind = {
  label: 'Flavors',
  noun: 'flavor',
  icon: Cpu,
  href: paths.flavors,
  keywords: ['size', 'vcpu', 'memory', 'type', 'plan'],
};

export const keyPairs: ResourceKind = {
  label: 'Key pairs',
  shortcut: 'k',
  noun: 'key pair',
  icon: KeyRound,
  href: paths.keyPairs,
  keywords: ['ssh', 'public key', 'login'],
  create: { label: 'Add key pair', href: paths.newKeyPair, operation: 'createKeyPair' },
};
