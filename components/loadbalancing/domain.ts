import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const loadBalancers: ResourceKind = {
  label: 'Load balancers',
  noun: 'load balancer',
  type: 'load_balancer',
  icon: kindIcon('split'),
  href: paths.loadBalancers,
  keywords: ['lbaas', 'haproxy', 'vip', 'virtual ip', 'listener', 'pool', 'health check'],
  create: { label: 'Create load balancer', href: paths.newLoadBalancer, operation: 'createLoadBalancer' },
  telemetry: { metrics: true },
  found: { type: 'load_balancer', one: (project, id) => paths.loadBalancer(project, id) },
};
