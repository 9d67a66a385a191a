'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { instances } from '@/components/compute/domain';
import { CreateOne } from '@/components/kit/resource/resource-list';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { networks } from '@/components/network/domain';
import { useNetworkActions } from '@/components/network/network-actions';
import { NetworkOverview } from '@/components/network/network-overview';
import { PortsOf } from '@/components/network/ports-table';
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
        { name: 'overview', label: 'Overview', content: () => <NetworkOverview network={network} /> },
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
