import type { Parameters } from '../parameters';

export const PORT = 3306;
/** Reads are balanced over the members that take no writes at this port of the endpoint. */
export const READ_PORT = 3307;
/** Between members: transactions, the latest of them again for one that was away, and whole copies. */
export const MEMBER_PORTS = { replication: 4567, catchUp: 4568, copy: 4444 };
export const SUPERUSER = 'nephele';
/** Where the server listens for the platform, below the folder of its service's sockets. */
export const SERVER_SOCKET = 'mysql.sock';
/** Where a member's first process says how far its data go. */
export const MEMBER_SOCKET = 'member.sock';
/** Connections of the platform. */
const OWN_CONNECTIONS = 8;
const FILES = '/etc/service';

export type ServerFacts = {
  /** Of the cluster: members of another one are not let in. */
  cluster: string;
  name: string;
  address: string;
  ram_gb: number;
  storage_gb: number;
  parameters: Parameters;
};

const clamp = (value: number, least: number, most: number) => Math.round(Math.min(most, Math.max(least, value)));

/** Connections of tenants at the same time. */
export const connections = ({ ram_gb, parameters }: Pick<ServerFacts, 'ram_gb' | 'parameters'>): number => {
  const wanted = parameters.max_connections;
  return typeof wanted === 'number' ? wanted : clamp(ram_gb * 100, 50, 400);
};

/**
 * How members watch each other. One that ended or hangs is given up after 1.5 seconds, so that another one takes writes within
 * three; shorter times would part members of a busy host.
 */
const provider = ({ address, storage_gb }: ServerFacts) =>
  Object.entries({
    base_host: address,
    'gmcast.listen_addr': `ssl://0.0.0.0:${MEMBER_PORTS.replication}`,
    'ist.recv_addr': `${address}:${MEMBER_PORTS.catchUp}`,
    'socket.ssl': 'YES',
    'socket.ssl_cert': `${FILES}/tls/cert.pem`,
    'socket.ssl_key': `${FILES}/tls/key.pem`,
    'socket.ssl_ca': `${FILES}/tls/ca.pem`,
    'gcache.size': `${clamp(storage_gb * 64, 64, 1024)}M`,
    'gcs.fc_limit': 64,
    'gmcast.peer_timeout': 'PT1.5S',
    'evs.keepalive_period': 'PT0.3S',
    'evs.inactive_check_period': 'PT0.3S',
    'evs.suspect_timeout': 'PT1.5S',
    'evs.inactive_timeout': 'PT3S',
    'evs.install_timeout': 'PT3S',
    // How often members resend membership messages. No transaction commits until all of them have received these.
    'evs.join_retrans_period': 'PT0.3S',
    'evs.delay_margin': 'PT1S',
    // Who begins again is for the host's agent to say.
    'pc.recovery': 'FALSE',
    'pc.wait_prim_timeout': 'PT10S',
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(';');

/** `my.cnf` of a member. What the tenant chose comes last, and holds nothing that the platform decides. */
export function renderSettings(facts: ServerFacts): string {
  const { cluster, name, address, ram_gb, storage_gb, parameters } = facts;
  const own: Record<string, string | number | boolean> = {
    bind_address: '0.0.0.0',
    port: PORT,
    socket: `/run/service/${SERVER_SOCKET}`,
    pid_file: '/run/service/mariadbd.pid',
    plugin_dir: '/usr/lib/mysql/plugin',
    tmpdir: '/state',
    secure_file_priv: '/state/nowhere',
    local_infile: false,
    skip_name_resolve: true,
    symbolic_links: false,
    // The others are not replicated.
    default_storage_engine: 'InnoDB',
    enforce_storage_engine: 'InnoDB',
    character_set_server: 'utf8mb4',
    binlog_format: 'ROW',
    innodb_autoinc_lock_mode: 2,
    innodb_flush_log_at_trx_commit: 1,
    innodb_buffer_pool_size: `${clamp(ram_gb * 384, 64, 65_536)}M`,
    innodb_log_file_size: `${clamp(storage_gb * 48, 32, 1024)}M`,
    aria_pagecache_buffer_size: '8M',
    key_buffer_size: '1M',
    table_open_cache: 400,
    performance_schema: false,
    max_user_connections: connections(facts),
    ssl_cert: `${FILES}/tls/cert.pem`,
    ssl_key: `${FILES}/tls/key.pem`,
    ssl_ca: `${FILES}/tls/ca.pem`,
    tls_version: 'TLSv1.2,TLSv1.3',
    require_secure_transport: true,
    log_warnings: 1,
    wsrep_on: true,
    wsrep_provider: '/usr/lib/galera/libgalera_smm.so',
    wsrep_provider_options: provider(facts),
    wsrep_cluster_name: cluster,
    wsrep_node_name: name,
    wsrep_node_address: address,
    wsrep_sst_method: 'member',
    wsrep_sst_receive_address: `${address}:${MEMBER_PORTS.copy}`,
    wsrep_slave_threads: 4,
    // Sessions cannot choose RSU, which changes tables on one member alone: the server keeps them at TOI, with a warning.
    'maximum-wsrep_OSU_method': 'TOI',
  };
  const chosen = { ...parameters, max_connections: connections(facts) + OWN_CONNECTIONS };
  const lines = Object.entries({ ...own, ...chosen }).map(([key, value]) => `${key} = ${written(value)}`);
  return `[mariadbd]\n${lines.join('\n')}\n`;
}

const written = (value: string | number | boolean) =>
  typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : typeof value === 'number' ? `${value}` : `"${value}"`;
