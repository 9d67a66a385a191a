'use client';

import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Graph } from '@/components/kit/graph/graph';
import { Card } from '@/components/kit/ui/card';
import { FloatingAddress } from '@/components/network/ports-table';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { diagramOf } from './diagram';
import { NetworkName } from './load-balancer-columns';
import type { LoadBalancer, Pool } from './types';

interface OverviewTabProps {
  balancer: LoadBalancer;
  pools: readonly Pool[];
}

/** The diagram of a load balancer, and its details. */
export function OverviewTab({ balancer, pools }: OverviewTabProps) {
  const { nodes, edges } = diagramOf(balancer, pools);
  return (
    <div className="space-y-5">
      <Graph label={`Diagram of ${balancer.name}`} nodes={nodes} edges={edges} />
      <Details balancer={balancer} />
    </div>
  );
}

function Details({ balancer }: { balancer: LoadBalancer }) {
  const { project } = useProject();
  const { id, vip_address, vip_port_id, floating_ip, network_id, idle_timeout_s, created_at, updated_at } = balancer;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['Virtual IP', <Id key="vip" value={vip_address} label="virtual IP" full />],
          [
            'Port of the virtual IP',
            <TextLink key="port" href={paths.port(project.slug, vip_port_id)}>
              Security groups of {vip_address}
            </TextLink>,
          ],
          ['Floating IP', <FloatingAddress key="floating" address={floating_ip} />],
          ['Network', <NetworkName key="network" id={network_id} />],
          ['Idle timeout', `${idle_timeout_s} s`],
          ['ID', <Id key="id" value={id} label="load balancer ID" full />],
          ['Created', <Time key="created" at={created_at} form="exact" />],
          ['Changed', <Time key="updated" at={updated_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
