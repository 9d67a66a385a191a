import { choice, flag, integer, number, type Parameter } from '../parameter';

const DAY_S = 24 * 60 * 60;

/** The server reads its settings when it starts: members are started anew, one after the other. */
const anew = (parameter: Parameter): Parameter => ({ ...parameter, restarts: true });

/** What tenants may set. Everything else follows from the size, or would let a tenant leave the cluster. */
export const mariadbParameters: readonly Parameter[] = [
  integer('max_connections', null, [10, 2000], null, 'Connections of clients at the same time.'),
  integer('wait_timeout', 's', [1, 7 * DAY_S], 28_800, 'Ends connections that are idle for longer.'),
  integer('interactive_timeout', 's', [1, 7 * DAY_S], 28_800, 'The same for interactive clients.'),
  number('max_statement_time', [0, DAY_S], 0, 'Ends statements that run for more seconds; 0: never.'),
  number('long_query_time', [0.1, 3600], 10, 'Seconds after which a statement counts as slow.'),
  integer('innodb_lock_wait_timeout', 's', [1, 3600], 50, 'Ends statements that wait longer for a row.'),
  integer('lock_wait_timeout', 's', [1, DAY_S], 86_400, 'Ends statements that wait longer for a table.'),
  integer('max_allowed_packet', 'bytes', [1_048_576, 268_435_456], 16_777_216, 'Largest statement or value.'),
  integer('sort_buffer_size', 'bytes', [32_768, 67_108_864], 2_097_152, 'Memory of each sort.'),
  integer('join_buffer_size', 'bytes', [16_384, 67_108_864], 262_144, 'Memory of each join without an index.'),
  integer('tmp_table_size', 'bytes', [1_048_576, 268_435_456], 16_777_216, 'Memory of a temporary table.'),
  integer('max_heap_table_size', 'bytes', [1_048_576, 268_435_456], 16_777_216, 'Memory of a MEMORY table.'),
  integer('wsrep_sync_wait', null, [0, 15], 0, 'Which statements wait for all earlier writes; 1: reads.'),
  choice(
    'transaction_isolation',
    ['READ-UNCOMMITTED', 'READ-COMMITTED', 'REPEATABLE-READ'],
    'REPEATABLE-READ',
    'Isolation of transactions that name none.',
  ),
  choice('character_set_server', ['utf8mb4', 'latin1', 'ascii'], 'utf8mb4', 'Characters of new databases.'),
  flag('innodb_strict_mode', true, 'Refuses tables with options that cannot be kept.'),
  flag('innodb_print_all_deadlocks', false, 'Logs every deadlock.'),
].map(anew);
