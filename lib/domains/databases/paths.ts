import { inProject, withQuery } from '@/lib/address';

/** The tabs of a cluster's page, each with an address. */
export type DatabaseTab = 'overview' | 'parameters' | 'backups' | 'upgrades' | 'metrics' | 'logs' | 'activity';

/** What names a cluster in addresses, in the API's order: "postgres/default/orders". */
export function clusterKey(cluster: { engine: string; namespace: string; name: string }): string {
  return `${cluster.engine}/${cluster.namespace}/${cluster.name}`;
}

/** Addresses of the pages of this domain. A `cluster` is a `clusterKey`. */
export const databasesPaths = {
  databases: (project: string, shown?: { search: string }) =>
    withQuery(inProject(project, 'databases/clusters'), shown),
  newDatabase: (project: string) => inProject(project, 'databases/clusters/new'),
  database: (project: string, cluster: string, tab?: DatabaseTab) =>
    withQuery(inProject(project, `databases/clusters/${cluster}`), { tab: tab === 'overview' ? undefined : tab }),
  upgradeDatabase: (project: string, cluster: string, shown: { job?: string } = {}) =>
    withQuery(inProject(project, `databases/clusters/${cluster}/upgrade`), shown),
  databaseBackups: (project: string, shown?: { search: string }) =>
    withQuery(inProject(project, 'databases/backups'), shown),
};
