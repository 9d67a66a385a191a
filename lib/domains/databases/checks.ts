import { sql } from '@/lib/core/db/sql';
import type { DomainChecks } from '@/lib/core/domains/checks';

export const databasesChecks: DomainChecks = {
  billing: [
    // From the first time that it serves until it is deleted; only the members that run count.
    {
      resource_type: 'database_cluster',
      metrics: ['block_storage', 'postgres_database', 'valkey_database', 'compute_vcpu', 'compute_memory'],
      since: 'available',
      free_in: ['deleting'],
    },
  ],
  quota: sql`SELECT project_id, id, 'databases' AS dimension, 1::numeric AS amount FROM database_clusters WHERE engine <> 'qdrant'`,
  devices: sql`SELECT id, 'database_cluster' AS kind FROM database_clusters
    UNION ALL SELECT id, 'database_member' FROM database_members`,
};
