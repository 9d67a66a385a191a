import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const volumes: ResourceKind = {
  label: 'Volumes',
  shortcut: 'v',
  noun: 'volume',
  icon: kindIcon('hard-drive'),
  href: paths.volumes,
  keywords: ['disk', 'block', 'storage', 'attach'],
  create: { label: 'Create volume', href: (project) => paths.newVolume(project), operation: 'createVolume' },
  type: 'volume',
  telemetry: { metrics: true },
  found: { type: 'volume', one: (project, id) => paths.volume(project, id) },
};

export const snapshots: ResourceKind = {
  label: 'Snapshots',
  shortcut: 'd',
  noun: 'snapshot',
  icon: kindIcon('camera'),
  href: paths.snapshots,
  keywords: ['backup', 'copy', 'restore'],
  create: { label: 'Create snapshot', href: (project) => paths.newSnapshot(project), operation: 'createSnapshot' },
  found: { type: 'snapshot', one: (project, _, search) => paths.snapshots(project, search) },
};
