import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const databaseClusters: ResourceKind = {
  label: 'Database clusters',
  noun: 'database cluster',
  type: 'database_cluster',
  icon: kindIcon('database'),
  href: paths.databases,
  keywords: ['dbaas', 'postgres', 'postgresql', 'mysql', 'mariadb', 'valkey', 'redis', 'mongodb', 'qdrant', 'sql'],
  create: { label: 'Create database cluster', href: paths.newDatabase, operation: 'createPostgresCluster' },
  telemetry: { metrics: true },
  // The API names a cluster by engine, namespace and name.
  found: { type: 'database_cluster', one: (project, _, search) => paths.databases(project, search) },
};

export const databaseBackups: ResourceKind = {
  label: 'Database backups',
  noun: 'database backup',
  icon: kindIcon('database-backup'),
  href: (project) => paths.databaseBackups(project),
  keywords: ['dbaas', 'restore', 'point in time', 'dump'],
};
