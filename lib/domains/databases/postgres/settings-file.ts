import type { Parameters } from '../parameters';
import { enginePorts } from '../ports';

export const PORT = enginePorts.postgres.serving;
export const SUPERUSER = 'nephele';
/** Who reads a restored backup to its end, without a superuser's rights. */
export const READER = 'nephele_reader';
export const REPLICATION_ROLE = 'nephele_replication';
/** Connections of the platform, and of standbys. */
const OWN_CONNECTIONS = 8;
const FILES = '/etc/service';

export type ServerFacts = {
  version: string;
  ram_gb: number;
  storage_gb: number;
  parameters: Parameters;
  /** How it calls itself to the primary that it follows. */
  follows: { host: string; as: string } | null;
  /** What holds for a while only, whatever else says. */
  further?: Record<string, string | number | boolean>;
};

const clamp = (value: number, least: number, most: number) => Math.round(Math.min(most, Math.max(least, value)));

export const connections = ({ ram_gb, parameters }: Pick<ServerFacts, 'ram_gb' | 'parameters'>) => {
  const wanted = parameters.max_connections;
  return typeof wanted === 'number' ? wanted : clamp(ram_gb * 100, 50, 400);
};

/** Settings of which a change needs a restart: the service is started anew when this text changes. */
export function restartKey(facts: ServerFacts): string {
  return `${connections(facts)} ${sharedBuffersMb(facts)}`;
}

const sharedBuffersMb = ({ ram_gb }: ServerFacts) => clamp(ram_gb * 256, 32, 8192);

/** `postgresql.conf` of a member. What the tenant chose comes last, and holds nothing that the platform decides. */
export function renderSettings(facts: ServerFacts): string {
  const { ram_gb, storage_gb, parameters, follows, version, further = {} } = facts;
  const storageMb = storage_gb * 1024;
  const own: Record<string, string | number | boolean> = {
    listen_addresses: '*',
    port: PORT,
    unix_socket_directories: '/run/service',
    unix_socket_permissions: '0700',
    max_connections: connections(facts),
    superuser_reserved_connections: OWN_CONNECTIONS,
    password_encryption: 'scram-sha-256',
    ssl: true,
    ssl_cert_file: `${FILES}/tls/cert.pem`,
    ssl_key_file: `${FILES}/tls/key.pem`,
    ssl_min_protocol_version: 'TLSv1.2',
    shared_buffers: `${sharedBuffersMb(facts)}MB`,
    effective_cache_size: `${clamp(ram_gb * 640, 64, 1e6)}MB`,
    maintenance_work_mem: `${clamp(ram_gb * 48, 16, 1024)}MB`,
    random_page_cost: 1.1,
    jit: false,
    dynamic_shared_memory_type: 'posix',
    wal_level: 'logical',
    max_wal_senders: 20,
    max_replication_slots: 20,
    // An upgrade follows each database on its own.
    max_logical_replication_workers: 20,
    max_worker_processes: 28,
    max_wal_size: `${clamp(storageMb / 10, 64, 2048)}MB`,
    min_wal_size: `${clamp(storageMb / 40, 32, 256)}MB`,
    wal_keep_size: `${clamp(storageMb / 20, 32, 1024)}MB`,
    max_slot_wal_keep_size: `${clamp(storageMb / 5, 64, 8192)}MB`,
    // A standby that vanished without a word; shorter than the time in which a cut primary is replaced would be unsafe.
    wal_sender_timeout: '5s',
    wal_receiver_timeout: '5s',
    wal_retrieve_retry_interval: '200ms',
    hot_standby: true,
    hot_standby_feedback: true,
    max_standby_streaming_delay: '10s',
    fsync: true,
    full_page_writes: true,
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    client_connection_check_interval: '10s',
    logging_collector: false,
    log_destination: 'stderr',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_timezone: 'UTC',
    timezone: 'UTC',
    archive_mode: false,
    shared_preload_libraries: 'pg_stat_statements',
    ...(follows && {
      primary_conninfo:
        `host=${follows.host} port=${PORT} user=${REPLICATION_ROLE} passfile=${FILES}/pgpass sslmode=verify-ca ` +
        `sslrootcert=${FILES}/tls/ca.pem application_name=${follows.as} connect_timeout=2`,
    }),
    ...(Number(version) >= 17 && { summarize_wal: false }),
  };
  const lines = Object.entries({ ...own, ...parameters, ...further }).map(
    ([name, value]) => `${name} = ${quoted(value)}`,
  );
  return `${lines.join('\n')}\n`;
}

const quoted = (value: string | number | boolean) =>
  typeof value === 'boolean'
    ? value
      ? 'on'
      : 'off'
    : typeof value === 'number'
      ? `${value}`
      : `'${value.replaceAll("'", "''")}'`;

/** The platform alone, by the Unix socket that only it reaches: of restored data, it does not know the passwords yet. */
export const OWN_ACCESS = `local all ${SUPERUSER},${READER} trust\n`;

export type AccessFacts = { endpoint: string; cidr: string };

/**
 * `pg_hba.conf`: tenants come through the endpoint, standbys and members of another version from the network, the platform
 * through the Unix socket. Nobody is let in without a password, and the platform's superuser never from the network.
 */
export const renderAccess = ({ endpoint, cidr }: AccessFacts): string => `local all ${SUPERUSER} scram-sha-256
hostssl replication ${REPLICATION_ROLE} ${cidr} scram-sha-256
hostssl all ${SUPERUSER} 0.0.0.0/0 reject
hostssl all nephele_apply 0.0.0.0/0 reject
hostssl all ${REPLICATION_ROLE} ${cidr} scram-sha-256
hostssl all ${REPLICATION_ROLE} 0.0.0.0/0 reject
hostssl all all ${endpoint}/32 scram-sha-256
`;
