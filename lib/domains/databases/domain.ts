import { raw, sql } from '@/lib/core/db/sql';
import { domain } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { addressesOfDevices } from '@/lib/domains/network/search';
import { serviceMetrics } from '@/lib/hosts/services/service-metrics';
import { databaseBackupsEndpoints } from './backups/endpoints';
import { databasesChecks } from './checks';
import { databasesEndpoints } from './endpoints';
import { databaseJobsEndpoints } from './jobs/endpoints';
import { databasesPortal } from './portal';
import { clusterStatuses } from './schema';

/** Managed databases: clusters of members behind an address that follows the primary. */
export const databases = domain({
  name: 'databases',
  endpoints: [...databasesEndpoints, ...databaseJobsEndpoints, ...databaseBackupsEndpoints],
  tags: { Databases: 'Managed clusters of PostgreSQL and other engines, on a private network.' },
  resources: {
    database_cluster: {
      table: 'database_clusters',
      statuses: clusterStatuses,
      metering: ['block_storage', 'postgres_database', 'valkey_database', 'compute_vcpu', 'compute_memory'],
      search: byName('/dbaas/clusters', { addresses: addressesOfDevices }),
    },
  },
  services: [
    {
      id: 'databases',
      name: 'Managed databases',
      category: 'databases',
      description:
        'Highly available PostgreSQL, MariaDB and Valkey, and MongoDB and Qdrant with one member, on a private network, with backups; all but MongoDB with upgrades that can be taken back.',
      resources: ['database_cluster'],
      engines: ['services', 'network'],
      reference: 'Databases',
    },
  ],
  tables: ['database_members', 'database_jobs', 'database_backups', 'database_archives'],
  dependsOn: ['networks'],
  portal: databasesPortal,
  sealed: [{ table: 'database_clusters', column: 'sealed_secrets', key: 'id', bound: "'database_clusters:' || id" }],
  checks: databasesChecks,
  work: async () => (await import('./work')).databasesWork,
  programs: ['postgres', 'mariadb', 'valkey', 'mongodb', 'qdrant', 'haproxy'],
  state: ['engine/services', 'backups/databases'],
  logs: [
    {
      service: 'database',
      from: 'process',
      writers: (cell) => sql`SELECT w.id, c.project_id, c.id AS resource_id, c.name AS resource_name
        FROM database_clusters c CROSS JOIN LATERAL ${raw('(SELECT c.id UNION ALL SELECT m.id FROM database_members m WHERE m.cluster_id = c.id) AS w')}
        WHERE c.cell_id = ${cell}::text`,
    },
  ],
  metrics: { database_cluster: { service: 'database', metrics: serviceMetrics('database_cluster') } },
});
