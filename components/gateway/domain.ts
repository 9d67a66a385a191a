import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const routes: ResourceKind = {
  label: 'Gateway routes',
  noun: 'gateway route',
  type: 'gateway_route',
  icon: kindIcon('waypoints'),
  href: paths.routes,
  keywords: ['ingress', 'host', 'domain', 'canary', 'rollout', 'weight', 'http', 'publish'],
  create: { label: 'Create gateway route', href: paths.newRoute, operation: 'applyRoute' },
  telemetry: { metrics: true },
  found: { type: 'gateway_route', one: (project, id) => paths.route(project, id) },
};
