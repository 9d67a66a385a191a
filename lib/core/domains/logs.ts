import type { Sql } from '@/lib/core/db/sql';

/** Services whose lines the log store holds, as label `service`. Lines of `audit` are only for roles that may read the audit log. */
export const logServices = [
  'compute',
  'network',
  'lb',
  'gateway',
  'object_storage',
  'function',
  'database',
  'workflow',
  'ai',
  'kubernetes',
  'audit',
] as const;
export type LogService = (typeof logServices)[number];

/** Lines that the agent of a cell collects into the log store. */
export type LogSource = {
  readonly service: LogService;
  /** A service process, or the serial console of a machine. */
  readonly from: 'process' | 'console';
  /** All of a cell: `SELECT id, project_id, resource_id, resource_name`, with `id` as its engine knows it. */
  readonly writers: (cell: string) => Sql;
};
