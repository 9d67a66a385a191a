import { raw, sql } from '@/lib/core/db/sql';
import { floatingIpOf, groupsOf, joinPorts } from '@/lib/domains/network/fragments';
import { trustedAuthorities } from '@/lib/hosts/certificates/certificates';
import { type DatabaseEngine, memberCounts } from './engines';
import type { Parameters } from './parameters';
import { enginePorts } from './ports';
import type { ClusterStatus, DatabaseCluster, DatabaseEndpoint, MemberRole, MemberStatus } from './schema';
import { newestUpgrade } from './versions';

export type MemberRow = {
  ordinal: number;
  role: MemberRole;
  status: MemberStatus;
  status_reason: string | null;
  version: string;
  lag_bytes: number | null;
};

export type ClusterRow = {
  id: string;
  engine: DatabaseEngine;
  namespace: string;
  name: string;
  version: string;
  /** How often the primary has changed. */
  moves: number;
  status: ClusterStatus;
  status_reason: string | null;
  instances: number;
  cell_id: string;
  network_id: string;
  address: string;
  port_id: string;
  floating_ip: string | null;
  security_group_ids: string[];
  authorities: string | null;
  flavor_id: string | null;
  vcpus: number;
  ram_gb: string;
  storage_gb: number;
  used_bytes: string | null;
  parameters: Parameters;
  username: string | null;
  database_name: string | null;
  last_backup_at: Date | null;
  restore_window: { from: string; until: string } | null;
  job_id: string | null;
  members: MemberRow[];
  created_at: Date;
  updated_at: Date;
};

export const clusterColumns = sql`c.id, c.engine, c.namespace, c.name, c.version, c.moves, c.status, c.status_reason, c.instances, c.cell_id,
  c.network_id, host(p.ip) AS address, p.id AS port_id, ${floatingIpOf()} AS floating_ip,
  ${groupsOf()} AS security_group_ids,
  ${raw(trustedAuthorities('c.id'))} AS authorities, c.flavor_id, c.vcpus, c.ram_gb, c.storage_gb, c.used_bytes, c.parameters, c.username,
  c.database_name, c.last_backup_at,
  (SELECT jsonb_build_object('from', min(b.finished_at), 'until', a.until) FROM database_archives a JOIN database_backups b
    ON b.cluster_id = a.cluster_id AND b.group_no = a.group_no AND b.status = 'available' AND right(b.start_segment, 16) >= right(a.first_segment, 16)
    WHERE a.cluster_id = c.id AND a.group_no = c.serving_group GROUP BY a.until HAVING min(b.finished_at) <= a.until) AS restore_window, (SELECT j.id FROM database_jobs j WHERE j.cluster_id = c.id ORDER BY j.id DESC LIMIT 1) AS job_id, c.created_at, c.updated_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('ordinal', m.ordinal, 'role', m.role, 'status', m.status, 'status_reason', m.status_reason,
    'version', m.version, 'lag_bytes', m.lag_bytes) ORDER BY m.ordinal), '[]') FROM database_members m
    WHERE m.cluster_id = c.id AND NOT m.leaving) AS members`;
export const clusterTables = sql`database_clusters c ${joinPorts('c')}`;

export const memberName = (cluster: string, ordinal: number): string => `${cluster}-${ordinal}`;

/** As members of MongoDB call the replica set that they are. */
const REPLICA_SET = 'secantus';

const schemes: Record<DatabaseEngine, string> = {
  postgres: 'postgresql',
  mysql: 'mysql',
  valkey: 'rediss',
  mongodb: 'mongodb',
  qdrant: 'https',
};

/** What clients of an engine need to know beside the address. */
const options: Partial<Record<DatabaseEngine, string>> = {
  mongodb: `?replicaSet=${REPLICA_SET}&tls=true`,
};

function endpointOf(row: ClusterRow, port: number): DatabaseEndpoint {
  const user = row.username === null ? '' : `${row.username}@`;
  const database = row.database_name === null ? '' : `/${row.database_name}`;
  return {
    host: row.address,
    port,
    uri: `${schemes[row.engine]}://${user}${row.address}:${port}${database}${options[row.engine] ?? ''}`,
    ca_certificate: row.authorities ?? '',
  };
}

function endpointsOf(row: ClusterRow) {
  const { serving, reading, sentinel } = enginePorts[row.engine];
  return {
    endpoint: endpointOf(row, serving),
    read_endpoint: reading !== null && row.instances > 1 ? endpointOf(row, reading) : null,
    sentinel: sentinel === null ? null : { host: row.address, port: sentinel, master_name: row.name },
  };
}

export const viewCluster = (row: ClusterRow): DatabaseCluster => ({
  id: row.id,
  engine: row.engine,
  namespace: row.namespace,
  name: row.name,
  version: row.version,
  status: row.status,
  status_reason: row.status_reason,
  preview: memberCounts[row.engine].allowed.length === 1 ? 'single member' : null,
  highly_available: row.instances > 1,
  instances: row.instances,
  members: row.members.map(({ ordinal, ...member }) => ({ name: memberName(row.name, ordinal), ...member })),
  ...endpointsOf(row),
  username: row.username,
  database: row.database_name,
  network_id: row.network_id,
  port_id: row.port_id,
  floating_ip: row.floating_ip,
  security_group_ids: row.security_group_ids,
  flavor_id: row.flavor_id,
  vcpus: row.vcpus,
  ram_gb: Number(row.ram_gb),
  storage_gb: row.storage_gb,
  used_gb: row.used_bytes === null ? null : Math.round((Number(row.used_bytes) / 1024 ** 3) * 1000) / 1000,
  parameters: row.parameters,
  upgrade_available: newestUpgrade(row.engine, row.version),
  job_id: row.job_id,
  last_backup_at: row.last_backup_at?.toISOString() ?? null,
  restore_window: row.restore_window && {
    from: new Date(row.restore_window.from).toISOString(),
    until: new Date(row.restore_window.until).toISOString(),
  },
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
});
