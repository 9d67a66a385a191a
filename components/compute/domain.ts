import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const instances: ResourceKind = {
  label: 'Instances',
  shortcut: 'i',
  noun: 'instance',
  icon: kindIcon('server'),
  href: paths.instances,
  keywords: ['vm', 'server', 'machine', 'console', 'compute'],
  create: { label: 'Create instance', href: (project) => paths.newInstance(project), operation: 'createInstance' },
  type: 'instance',
  telemetry: { metrics: true },
  found: { type: 'instance', one: (project, id) => paths.instance(project, id) },
};

export const flavors: ResourceKind = {
  label: 'Flavors',
  noun: 'flavor',
  icon: kindIcon('cpu'),
  href: paths.flavors,
  keywords: ['size', 'vcpu', 'memory', 'type', 'plan'],
};

export const keyPairs: ResourceKind = {
  label: 'Key pairs',
  shortcut: 'k',
  noun: 'key pair',
  icon: kindIcon('key-round'),
  href: paths.keyPairs,
  keywords: ['ssh', 'public key', 'login'],
  create: { label: 'Add key pair', href: paths.newKeyPair, operation: 'createKeyPair' },
  found: { type: 'key_pair', one: (project, _, search) => paths.keyPairs(project, search) },
};
