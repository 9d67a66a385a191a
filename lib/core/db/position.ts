import { type Sql, sql } from './sql';

/** The transactions that a statement sees: all below `xmax` except those in `running`. */
export type Position = { xmax: string; running: string[] };

/** The position of the statement itself, as columns. */
export const ownPosition: Sql = sql`pg_snapshot_xmax(pg_current_snapshot())::text AS xmax,
  ARRAY(SELECT pg_snapshot_xip(pg_current_snapshot())::text) AS running`;

/**
 * Condition on a column `xid`, the transaction that wrote a row: a statement at the position did not see the row. Ids from
 * sequences are drawn before the commit, so "above the last id" would miss rows of slower transactions.
 */
export const isAfter = ({ xmax, running }: Position): Sql =>
  sql`(xid >= ${xmax}::bigint OR xid = ANY (${running}::bigint[]))`;
