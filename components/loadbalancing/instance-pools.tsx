'use client';

import { StatusBadge } from '@/components/kit/data/status-badge';
import { Card } from '@/components/kit/ui/card';
import { TextLink } from '@/components/network/text-link';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { memberStatusOf } from './types';

/** The pools that have an instance as a member, with the load balancer of each. */
function usePoolsOf(instanceId: string) {
  const pools = useList('/api/v1/lbaas/pools', { limit: 200 });
  const balancers = useList('/api/v1/lbaas/loadbalancers', { limit: 200 });
  return (pools.data?.rows ?? []).flatMap((pool) => {
    const member = pool.members.find(({ instance_id }) => instance_id === instanceId);
    const balancer = balancers.data?.rows.find(({ id }) => id === pool.load_balancer_id);
    return member && balancer ? [{ pool, member, balancer }] : [];
  });
}

/** The load balancers that send traffic to an instance; nothing if there are none. */
export function InstancePools({ instanceId }: { instanceId: string }) {
  const { project } = useProject();
  const found = usePoolsOf(instanceId);
  if (found.length === 0) return null;
  return (
    <Card title="Load balancers" description="They send traffic to this instance." flush>
      <ul aria-label="Load balancers" className="divide-y text-sm">
        {found.map(({ pool, member, balancer }) => (
          <li key={pool.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <TextLink href={paths.loadBalancer(project.slug, balancer.id, 'listeners')} strong>
              {balancer.name}
            </TextLink>
            <span className="text-ink-muted">
              Pool {pool.name}, port {member.port}, weight {member.weight}
            </span>
            <span className="ml-auto">
              <StatusBadge status={memberStatusOf(member)} reason={member.status_reason} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The pools that an instance leaves when it is deleted; nothing if there are none. */
export function LeavesPools({ instanceId }: { instanceId: string }) {
  const found = usePoolsOf(instanceId);
  if (found.length === 0) return null;
  const names = found.map(({ pool, balancer }) => `${balancer.name} (pool ${pool.name})`);
  return <p>It leaves the load balancers {names.join(', ')}.</p>;
}
