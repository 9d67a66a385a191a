import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const layers: ResourceKind = {
  label: 'Layers',
  noun: 'layer',
  type: 'layer',
  icon: kindIcon('layers'),
  href: paths.layers,
  keywords: ['dependencies', 'packages', 'requirements', 'pip', 'npm', 'serverless', 'lambda'],
  create: { label: 'Create layer', href: paths.newLayer, operation: 'createLayer' },
  found: { type: 'layer', one: (project, id) => paths.layer(project, id) },
};
