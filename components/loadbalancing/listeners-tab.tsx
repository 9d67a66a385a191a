'use client';

import { Split } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { PropertyList } from '@/components/kit/data/property-list';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';
import { MemberTable } from './member-table';
import {
  algorithmLabel,
  describeCheck,
  type Listener,
  type LoadBalancer,
  type Pool,
  stickyLabels,
  whyNotChange,
} from './types';

const WeightsDialog = lazyComponent(() => import('./weights-dialog').then((module) => module.WeightsDialog));

interface ListenersTabProps {
  balancer: LoadBalancer;
  pools: readonly Pool[];
}

/** The listeners of a load balancer, each with its pool and members. */
export function ListenersTab({ balancer, pools }: ListenersTabProps) {
  return (
    <div className="space-y-5">
      {balancer.listeners.map((listener) => (
        <ListenerCard
          key={listener.id}
          balancer={balancer}
          listener={listener}
          pool={pools.find(({ id }) => id === listener.pool_id)}
        />
      ))}
    </div>
  );
}

interface ListenerCardProps {
  balancer: LoadBalancer;
  listener: Listener;
  /** Undefined until it is read. */
  pool: Pool | undefined;
}

function ListenerCard({ balancer, listener, pool }: ListenerCardProps) {
  const { project } = useProject();
  const refusal = useRefusal();
  const [weighing, setWeighing] = useState(false);
  const reason = refusal('replaceLoadBalancer') ?? whyNotChange(balancer);
  const { name, protocol, port } = listener;
  const members = pool?.members ?? [];
  const edit = `${paths.editLoadBalancer(project.slug, balancer.id)}?step=members`;
  const addMembers = (
    <DisabledReason reason={reason}>
      <ButtonLink size="sm" href={edit}>
        Add members
      </ButtonLink>
    </DisabledReason>
  );
  return (
    <Card
      title={`${name} · ${protocol} ${port}`}
      aria-label={`Listener ${name}`}
      actions={
        <>
          {members.length > 1 && (
            <DisabledReason reason={reason}>
              <Button size="sm" onClick={() => setWeighing(true)}>
                Change weights
              </Button>
            </DisabledReason>
          )}
          {addMembers}
        </>
      }
      flush
    >
      <div className="border-b p-4">
        <PropertyList items={factsOf(listener, pool)} />
      </div>
      {pool && members.length > 0 && <MemberTable balancer={balancer} listener={listener} pool={pool} />}
      {pool && members.length === 0 && (
        <EmptyState icon={Split} title="No members yet" action={addMembers}>
          Without members, the listener answers no request. Add instances or addresses of the network.
        </EmptyState>
      )}
      {weighing && pool && (
        <WeightsDialog balancer={balancer} listener={listener} pool={pool} close={() => setWeighing(false)} />
      )}
    </Card>
  );
}

function factsOf(listener: Listener, pool: Pool | undefined) {
  const { redirect_to_https, allowed_cidrs, current_connections, requests_total, protocol } = listener;
  return [
    ['Pool', pool?.name],
    ['Algorithm', pool && algorithmLabel(pool.algorithm)],
    ['Sticky sessions', pool?.sticky ? stickyLabels[pool.sticky] : undefined],
    ['Health check', pool && describeCheck(pool.health_check)],
    ['Redirect to HTTPS', redirect_to_https ? 'Yes' : undefined],
    ['Clients', allowed_cidrs.length > 0 ? allowed_cidrs.join(', ') : 'All'],
    [
      protocol === 'TCP' ? 'Connections' : 'Requests',
      `${formatNumber(requests_total)} in total, ${formatNumber(current_connections)} connections open`,
    ],
  ] as const;
}
