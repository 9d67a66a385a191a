import { inProject, withQuery } from '@/lib/address';

/** The tabs of a route's page, each with an address. */
export type RouteTab = 'overview' | 'metrics' | 'logs' | 'activity';

/** Addresses of the pages of this domain. */
export const gatewayPaths = {
  routes: (project: string) => inProject(project, 'network/gateway-routes'),
  newRoute: (project: string) => inProject(project, 'network/gateway-routes/new'),
  route: (project: string, id: string, tab?: RouteTab) =>
    withQuery(inProject(project, `network/gateway-routes/${id}`), { tab: tab === 'overview' ? undefined : tab }),
  editRoute: (project: string, id: string) => inProject(project, `network/gateway-routes/${id}/edit`),
};
