'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Loaded } from '@/components/kit/page/loaded';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { loadBalancers } from '@/components/loadbalancing/domain';
import { useLoadBalancerActions } from '@/components/loadbalancing/load-balancer-actions';
import { NetworkName } from '@/components/loadbalancing/load-balancer-columns';
import { type Pool, statusOf } from '@/components/loadbalancing/types';
import { useReplace } from '@/components/loadbalancing/use-replace';
import { type ListPage, useList } from '@/lib/client/list';
import { getLoadBalancer, replaceLoadBalancer } from '@/lib/client/operations/lbaas';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

// Each part is loaded with its tab.
const loading = () => <Skeleton className="h-80 w-full rounded-lg" />;
const OverviewTab = lazyComponent(
  () => import('@/components/loadbalancing/overview-tab').then((module) => module.OverviewTab),
  loading,
);
const ListenersTab = lazyComponent(
  () => import('@/components/loadbalancing/listeners-tab').then((module) => module.ListenersTab),
  loading,
);

/** Details of a load balancer: diagram, listeners with their members, metrics, logs and activity. */
export default function LoadBalancerPage() {
  const { balancer: id } = useParams<{ balancer: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const replace = useReplace(id);
  const { actionsOf, dialog } = useLoadBalancerActions({
    onDeleted: () => router.push(paths.loadBalancers(project.slug)),
  });
  const query = api.useQuery('get', '/api/v1/lbaas/loadbalancers/{id}', { params: { path: { id } } });
  const pools = useList('/api/v1/lbaas/pools', { load_balancer_id: id, limit: 200 });
  return (
    <ResourcePage
      of={loadBalancers}
      query={query}
      get={getLoadBalancer}
      badge={(balancer) => <StatusBadge status={statusOf(balancer)} reason={balancer.status_reason} />}
      facts={({ vip_address, floating_ip, network_id }) => [
        ['Virtual IP', vip_address],
        ['Floating IP', floating_ip ?? 'None'],
        ['Network', <NetworkName key="network" id={network_id} />],
      ]}
      rename={{ operation: replaceLoadBalancer, save: (name) => replace((state) => ({ ...state, name })) }}
      actions={actionsOf}
      tabs={(balancer) => {
        const withPools = (content: (rows: readonly Pool[]) => React.ReactNode) => (
          <Loaded query={pools} what="The pools" skeleton={loading()}>
            {({ rows }: ListPage<Pool>) => content(rows)}
          </Loaded>
        );
        return [
          {
            name: 'overview',
            label: 'Overview',
            content: () => withPools((rows) => <OverviewTab balancer={balancer} pools={rows} />),
          },
          {
            name: 'listeners',
            label: 'Listeners and pools',
            content: () => withPools((rows) => <ListenersTab balancer={balancer} pools={rows} />),
          },
          activityTab(id),
        ];
      }}
    >
      {dialog}
    </ResourcePage>
  );
}
