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

/** A line with the resource that it belongs to. */
export type AttributedLine = {
  project_id: string;
  resource_id: string;
  resource_name: string;
  level: string;
  text: string;
};

/** Lines that the agent of a cell collects into the log store. */
export type LogSource = {
  readonly service: LogService;
  /** A service process, or the serial console of a machine. */
  readonly from: 'process' | 'console';
  /** All of a cell: `SELECT id, project_id, resource_id, resource_name`, with `id` as its engine knows it. */
  readonly writers: (cell: string) => Sql;
  /** For a writer of several projects: whose each line is, and how that project reads it. Lines of nobody are left out. */
  readonly attribute?: (messages: readonly string[]) => Promise<readonly (AttributedLine | undefined)[]>;
  /** Gets the lines that were just stored, in the process of the cell's agent: for figures that no program counts. */
  readonly seen?: (writerId: string, messages: readonly string[]) => void;
};
