'use client';

import { useParams } from 'next/navigation';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { desiredState } from '@/components/loadbalancing/desired-state';
import { loadBalancers } from '@/components/loadbalancing/domain';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with it.
const EditLoadBalancer = lazyComponent(
  () => import('@/components/loadbalancing/edit-load-balancer').then((module) => module.EditLoadBalancer),
  () => skeleton,
);

/** Edits a load balancer in the steps of the wizard; the last one shows the differences. */
export default function EditLoadBalancerPage() {
  const { balancer: id } = useParams<{ balancer: string }>();
  const { project, api } = useProject();
  const query = api.useQuery('get', '/api/v1/lbaas/loadbalancers/{id}', { params: { path: { id } } });
  const pools = useList('/api/v1/lbaas/pools', { load_balancer_id: id, limit: 200 });
  const { data } = query;
  const state = data && pools.data && desiredState(data, pools.data.rows);
  const both = {
    data: state && { balancer: data, state },
    error: query.error ?? pools.error,
    refetch: () => Promise.all([query.refetch(), pools.refetch()]),
  };
  const name = data?.name ?? loadBalancers.noun;
  return (
    <Page title={`Edit ${name}`} parents={[{ label: name, href: paths.loadBalancer(project.slug, id) }]}>
      <Loaded query={both} what="The load balancer" skeleton={skeleton}>
        {({ balancer, state }) => <EditLoadBalancer current={balancer} state={state} />}
      </Loaded>
    </Page>
  );
}
