import type { DomainPortal } from '@/lib/core/domains/portal';

export const databasesPortal: DomainPortal = {
  topics: {
    database_cluster: [
      '/api/v1/dbaas/clusters',
      '/api/v1/dbaas/jobs',
      '/api/v1/dbaas/backups',
      ...['postgres', 'mysql', 'valkey', 'mongodb', 'qdrant'].map((engine) => `/api/v1/dbaas/${engine}`),
      '/api/v1/network/ports',
      '/api/v1/network/floating-ips',
    ],
  },
  actions: {
    'database_cluster.fail_over': 'switched the primary of database cluster',
    'database_cluster.failed_over': 'replaced the failed primary of database cluster',
    'database_cluster.roll_back': 'rolled back the upgrade of database cluster',
    'database_cluster.back_up': 'backed up database cluster',
    'database_cluster.delete_backup': 'deleted a backup of database cluster',
    'database_cluster.upgrade': 'upgraded database cluster',
    'database_upgrade.preflight': 'began the upgrade of database cluster',
    'database_cluster.reset_password': 'reset the password of database cluster',
  },
  sections: { Databases: ['Databases'] },
};
