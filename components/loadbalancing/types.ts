import type { Row } from '@/lib/client/list';
import type { components } from '@/lib/client/schema';

export type LoadBalancer = Row<'/api/v1/lbaas/loadbalancers'>;
export type Listener = LoadBalancer['listeners'][number];
export type Pool = Row<'/api/v1/lbaas/pools'>;
export type Member = Pool['members'][number];

/** One word for both statuses: the operating status of an active load balancer, otherwise its provisioning status. */
export function statusOf({
  provisioning_status,
  operating_status,
}: Pick<LoadBalancer, 'provisioning_status' | 'operating_status'>): string {
  return provisioning_status === 'active' ? operating_status : provisioning_status;
}

/** The status of a member or a node as `statuses.ts` names it: one that is down has failed, unlike a port. */
export function memberStatusOf({ status }: { status: string }): string {
  return status === 'down' ? 'failing' : status;
}

/** The reason why a load balancer cannot be changed now, if there is one. */
export function whyNotChange({ provisioning_status }: Pick<LoadBalancer, 'provisioning_status'>): string | undefined {
  switch (provisioning_status) {
    case 'pending_create':
      return 'This load balancer is being created.';
    case 'pending_update':
      return 'Another change is in progress.';
    case 'pending_delete':
      return 'This load balancer is being deleted.';
    default:
      return undefined;
  }
}

const algorithms = [
  { value: 'round_robin', label: 'Round robin', description: 'Members take turns, in proportion to their weights.' },
  {
    value: 'least_connections',
    label: 'Least connections',
    description: 'The member with the fewest connections. For long connections.',
  },
  { value: 'source_ip', label: 'Source IP', description: 'Clients with the same IP address reach the same member.' },
] as const satisfies readonly { value: Pool['algorithm']; label: string; description: string }[];
export const algorithmOptions = algorithms;

export const algorithmLabel = (algorithm: Pool['algorithm']): string =>
  algorithms.find(({ value }) => value === algorithm)?.label ?? algorithm;

export const stickyLabels = { cookie: 'Cookie', source_ip: 'Source IP' } as const;

/** "HTTP GET /, 200-399, every 5 s" */
export function describeCheck(check: components['schemas']['NewHealthCheck'] | null | undefined): string {
  if (!check) return 'None';
  const { type, path, expected_status, interval_s } = check;
  return type === 'tcp'
    ? `TCP connection every ${interval_s} s`
    : `HTTP GET ${path} every ${interval_s} s, expects ${expected_status}`;
}
