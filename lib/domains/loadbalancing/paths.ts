import { inProject, withQuery } from '@/lib/address';

/** The tabs of a load balancer's page, each with an address. */
export type LoadBalancerTab = 'overview' | 'listeners' | 'metrics' | 'logs' | 'activity';

/** Addresses of the pages of this domain. */
export const loadbalancingPaths = {
  loadBalancers: (project: string) => inProject(project, 'network/load-balancers'),
  newLoadBalancer: (project: string) => inProject(project, 'network/load-balancers/new'),
  loadBalancer: (project: string, id: string, tab?: LoadBalancerTab) =>
    withQuery(inProject(project, `network/load-balancers/${id}`), { tab: tab === 'overview' ? undefined : tab }),
  editLoadBalancer: (project: string, id: string) => inProject(project, `network/load-balancers/${id}/edit`),
};
