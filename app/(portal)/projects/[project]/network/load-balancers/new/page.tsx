'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with it.
const NewLoadBalancer = lazyComponent(
  () => import('@/components/loadbalancing/new-load-balancer').then((module) => module.NewLoadBalancer),
  () => skeleton,
);

/** Creates a load balancer in steps: listeners, pools, members, health checks, review. */
export default function NewLoadBalancerPage() {
  const { api } = useProject();
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  const services = api.useQuery('get', '/api/v1/services/services');
  const all = [networks, groups, services];
  const query = {
    data: networks.data &&
      groups.data &&
      services.data && { networks: networks.data.rows, groups: groups.data.rows, services: services.data },
    error: all.find(({ error }) => error !== null)?.error,
    refetch: () => Promise.all(all.map((each) => each.refetch())),
  };
  return (
    <Page title="Create load balancer">
      <Loaded query={query} what="The choices" skeleton={skeleton}>
        {({ services: offered, ...choices }) => (
          <NewLoadBalancer choices={choices} service={offered.find(({ id }) => id === 'load_balancers')} />
        )}
      </Loaded>
    </Page>
  );
}
