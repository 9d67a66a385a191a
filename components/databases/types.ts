import type { Row } from '@/lib/client/list';
import type { components } from '@/lib/client/schema';
import type { DatabaseEngine } from '@/lib/domains/databases/engines';
import { whyNoBackups } from './engine-look';

export type Cluster = Row<'/api/v1/dbaas/clusters'>;
export type Member = Cluster['members'][number];
export type Endpoint = components['schemas']['DatabaseEndpoint'];
export type Credentials = components['schemas']['DatabaseCredentials'];
export type Version = Row<'/api/v1/dbaas/catalog/versions'>;
export type Parameter = Row<'/api/v1/dbaas/catalog/parameters'>;
export type Backup = Row<'/api/v1/dbaas/backups'>;
export type Candidate = components['schemas']['UpgradeCandidate'];
export type Preflight = components['schemas']['Preflight'];
export type Check = Preflight['checks'][number];
export type Job = components['schemas']['DatabaseJob'];

/** The path parameters of a cluster. */
export interface ClusterPath {
  engine: DatabaseEngine;
  ns: string;
  name: string;
}

export const pathOf = ({ engine, namespace, name }: Pick<Cluster, 'engine' | 'namespace' | 'name'>): ClusterPath => ({
  engine,
  ns: namespace,
  name,
});

/** An operation with the path of one cluster, to be copied as a request. */
export function ofCluster<O extends { method: string; path: string }>(
  operation: O,
  { engine, namespace, name }: Pick<Cluster, 'engine' | 'namespace' | 'name'>,
) {
  const path = operation.path.replace('{engine}', engine).replace('{ns}', namespace).replace('{name}', name);
  return { ...operation, path };
}

const busy: Partial<Record<Cluster['status'], string>> = {
  provisioning: 'This cluster is being created.',
  failing_over: 'Another member is taking over.',
  updating: 'Another change is in progress.',
  upgrading: 'An upgrade is in progress.',
  restoring: 'This cluster is being restored.',
  deleting: 'This cluster is being deleted.',
};

/** Why a cluster cannot be changed now, if so. */
export function whyNotChange({ status }: Pick<Cluster, 'status'>): string | undefined {
  return busy[status] ?? (status === 'error' ? 'Only for clusters that run. This one has failed.' : undefined);
}

/** Why a cluster cannot be backed up now, if so. */
export function whyNotBackUp(cluster: Pick<Cluster, 'engine' | 'status'>): string | undefined {
  return whyNoBackups(cluster.engine) ?? whyNotChange(cluster);
}

/** Why no other member can take over, if so. */
export function whyNotFailOver(cluster: Pick<Cluster, 'status' | 'highly_available'>): string | undefined {
  if (!cluster.highly_available) return 'Only for clusters with several members.';
  if (cluster.status === 'degraded') return 'Wait until all members run.';
  return whyNotChange(cluster);
}

/** Why a cluster cannot be deleted, if so. */
export function whyNotDelete({ status }: Pick<Cluster, 'status'>): string | undefined {
  return status === 'deleting' ? busy.deleting : undefined;
}

/** The status of a member as `statuses.ts` names it: running is a state here, and no work. */
export function memberStatusOf({ status }: Pick<Member, 'status'>): string {
  if (status === 'running') return 'up';
  return status === 'failed' ? 'failing' : status;
}

export const roleLabels: Record<Member['role'], string> = {
  primary: 'Primary',
  standby: 'Standby',
  node: 'Node',
  sentinel: 'Sentinel',
};

export const backupKindLabels: Record<Backup['kind'], string> = {
  automatic: 'Automatic',
  manual: 'Manual',
  before_upgrade: 'Before an upgrade',
  final: 'At deletion',
};

const ended: readonly Job['stage'][] = ['completed', 'rolled_back', 'failed'];

/** Whether an upgrade or its rollback still works. */
export const isRunning = ({ stage }: Pick<Job, 'stage'>): boolean => !ended.includes(stage);
