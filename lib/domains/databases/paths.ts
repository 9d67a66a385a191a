import { inProject, withQuery } from '@/lib/address';

/** What names a cluster in addresses. */
export interface ClusterName {
  engine: string;
  namespace: string;
  name: string;
}

/** The tabs of a cluster's page, each with an address. */
export type DatabaseTab = 'overview' | 'parameters' | 'backups' | 'upgrades' | 'metrics' | 'logs' | 'activity';

const clusterPath = ({ engine, namespace, name }: ClusterName) => `databases/clusters/${engine}/${namespace}/${name}`;

/** Addresses of the pages of this domain. */
export const databasesPaths = {
  databases: (project: string) => inProject(project, 'databases/clusters'),
  newDatabase: (project: string, restore: { backup?: string } = {}) =>
    withQuery(inProject(project, 'databases/clusters/new'), restore),
  database: (project: string, cluster: ClusterName, tab?: DatabaseTab) =>
    withQuery(inProject(project, clusterPath(cluster)), { tab: tab === 'overview' ? undefined : tab }),
  upgradeDatabase: (project: string, cluster: ClusterName, shown: { job?: string } = {}) =>
    withQuery(inProject(project, `${clusterPath(cluster)}/upgrade`), shown),
  databaseBackups: (project: string, shown: { search?: string } = {}) =>
    withQuery(inProject(project, 'databases/backups'), shown),
};
