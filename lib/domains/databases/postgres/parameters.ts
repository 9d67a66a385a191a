import { choice, flag, integer, number, type Parameter } from '../parameter';

const DAY_MS = 24 * 60 * 60_000;

/** What tenants may set. Everything else follows from the size, or would let a tenant leave the cluster. */
export const postgresParameters: readonly Parameter[] = [
  integer('max_connections', null, [20, 1000], null, 'Connections at the same time, 8 of them for the platform.', true),
  integer('work_mem', 'kB', [64, 1_048_576], 4096, 'Memory of each sort or hash before it uses the disk.'),
  integer('maintenance_work_mem', 'kB', [1024, 2_097_152], null, 'Memory of VACUUM and CREATE INDEX.'),
  integer('statement_timeout', 'ms', [0, DAY_MS], 0, 'Ends statements that run longer; 0: never.'),
  integer('lock_timeout', 'ms', [0, DAY_MS], 0, 'Ends statements that wait longer for a lock; 0: never.'),
  integer(
    'idle_in_transaction_session_timeout',
    'ms',
    [0, DAY_MS],
    0,
    'Ends sessions that are idle in a transaction; 0: never.',
  ),
  integer('deadlock_timeout', 'ms', [10, 60_000], 1000, 'Time to wait for a lock before looking for a deadlock.'),
  integer('log_min_duration_statement', 'ms', [-1, DAY_MS], -1, 'Logs statements that run at least so long; -1: none.'),
  choice('log_statement', ['none', 'ddl', 'mod', 'all'], 'none', 'Statements that are logged.'),
  flag('log_lock_waits', false, 'Logs waits for locks longer than deadlock_timeout.'),
  flag('log_connections', false, 'Logs connections.'),
  choice(
    'default_transaction_isolation',
    ['read committed', 'repeatable read', 'serializable'],
    'read committed',
    'Isolation of transactions that name none.',
  ),
  choice('wal_compression', ['on', 'off'], 'off', 'Compresses full pages in the WAL.'),
  number('random_page_cost', [0.1, 100], 1.1, 'Cost of a page that is read at random, against one in sequence.'),
  integer('effective_io_concurrency', null, [0, 1000], 16, 'Disk operations at the same time that are expected.'),
  integer('default_statistics_target', null, [1, 10_000], 100, 'Detail of the statistics for the planner.'),
  flag('jit', false, 'Compiles expensive queries.'),
  flag('autovacuum', true, 'Removes dead rows in the background.'),
  integer(
    'autovacuum_vacuum_cost_limit',
    null,
    [-1, 10_000],
    -1,
    'Work of autovacuum before it pauses; -1: as VACUUM.',
  ),
  number('autovacuum_vacuum_scale_factor', [0, 1], 0.2, 'Share of changed rows at which a table is vacuumed.'),
  number('autovacuum_analyze_scale_factor', [0, 1], 0.1, 'Share of changed rows at which a table is analyzed.'),
  integer('autovacuum_naptime', 's', [1, 86_400], 60, 'Pause between runs of autovacuum.'),
  number('checkpoint_completion_target', [0.1, 1], 0.9, 'Share of the time between checkpoints that one may take.'),
];
