import { inProject, withQuery } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const networkPaths = {
  networks: (project: string) => inProject(project, 'network/networks'),
  newNetwork: (project: string) => inProject(project, 'network/networks/new'),
  network: (project: string, id: string) => inProject(project, `network/networks/${id}`),
  topology: (project: string) => inProject(project, 'network/topology'),
  securityGroups: (project: string) => inProject(project, 'network/security-groups'),
  newSecurityGroup: (project: string) => inProject(project, 'network/security-groups/new'),
  securityGroup: (project: string, id: string) => inProject(project, `network/security-groups/${id}`),
  floatingIps: (project: string, shown?: { search?: string; associate?: string }) =>
    withQuery(inProject(project, 'network/floating-ips'), shown),
  ports: (project: string) => inProject(project, 'network/ports'),
  port: (project: string, id: string) => inProject(project, `network/ports/${id}`),
  routers: (project: string) => inProject(project, 'network/routers'),
  router: (project: string, id: string) => inProject(project, `network/routers/${id}`),
};
