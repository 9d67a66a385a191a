'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { instances } from '@/components/compute/domain';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { CreateOne } from '@/components/kit/resource/resource-list';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { AddressUse } from '@/components/network/address-use';
import { networks } from '@/components/network/domain';
import { useNetworkActions } from '@/components/network/network-actions';
import { PortsOf } from '@/components/network/ports-table';
import { SubnetsCard } from '@/components/network/subnets-card';
import { TextLink } from '@/components/network/text-link';
import type { Network } from '@/components/network/types';
import { getNetwork, updateNetwork } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';

// Loaded with its tab.
const NetworkLoadBalancers = lazyComponent(
  () => import('@/components/loadbalancing/network-load-balancers').then((module) => module.NetworkLoadBalancers),
  () => <Skeleton className="h-80 w-full rounded-lg" />,
);

/** Details of a network: its address range and its ports. */
export default function NetworkPage() {
  const { network: id } = useParams<{ network: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useNetworkActions({ onDeleted: () => router.push(paths.networks(project.slug)) });
  const rename = api.useMutation('patch', '/api/v1/network/networks/{id}');
  const query = api.useQuery('get', '/api/v1/network/networks/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={networks}
      query={query}
      get={getNetwork}
      facts={({ cidr, gateway_ip, port_count, address_count }) => [
        ['IP range', cidr],
        ['Gateway', gateway_ip],
        ['IP addresses in use', `${formatNumber(port_count)} of ${formatNumber(address_count)}`],
      ]}
      rename={{
        operation: updateNetwork,
        save: (name) => rename.mutateAsync({ params: { path: { id } }, body: { name } }),
      }}
      actions={actionsOf}
      tabs={(network) => [
        { name: 'overview', label: 'Overview', content: () => <Overview network={network} /> },
        {
          name: 'ports',
          label: 'Ports',
          content: () => (
            <PortsOf
              network_id={id}
              create={<CreateOne of={instances} />}
              empty="Instances created on this network get an IP address and are listed here."
            />
          ),
        },
        {
          name: 'load-balancers',
          label: 'Load balancers',
          content: () => <NetworkLoadBalancers network_id={id} />,
        },
        activityTab(id),
      ]}
    />
  );
}

function Overview({ network }: { network: Network }) {
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      <Details network={network} />
      <SubnetsCard subnets={network.subnets} />
    </div>
  );
}

function Details({ network }: { network: Network }) {
  const { project } = useProject();
  const { port_count, address_count } = network;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['IP range', <Id key="cidr" value={network.cidr} label="range" full />],
          ['IP addresses in use', <AddressUse key="use" used={port_count} total={address_count} small />],
          [
            'Router',
            <TextLink key="router" href={paths.router(project.slug, network.router_id)}>
              Gateway {network.gateway_ip}
            </TextLink>,
          ],
          ['Default', network.is_default ? 'Yes' : undefined],
          ['ID', <Id key="id" value={network.id} label="network ID" full />],
          ['Created', <Time key="created" at={network.created_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
