import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { guarded } from '@/lib/core/quota/guarded';
import type { NewOperation } from './enqueue';

/** A correction that an observer makes to one resource. */
export type ResourceRepair = {
  resource: { type: string; id: string };
  /** Null for platform resources. */
  project_id: string | null;
  /**
   * Whether the row is unchanged since the observer read it: `FROM k JOIN … WHERE … FOR UPDATE OF …`. It joins `k`, so
   * that the project's account is locked first.
   */
  unchanged: Sql;
  /** The update of the row; depends on `ifAdmitted`. */
  change: Sql;
  /** The operation that restores the resource itself. */
  operation?: NewOperation | undefined;
};

/**
 * Writes a repair with its operation and change hint, unless the resource changed meanwhile. @returns whether it was
 * written
 */
export async function writeRepair({
  resource,
  project_id,
  unchanged,
  change,
  operation,
}: ResourceRepair): Promise<boolean> {
  const written = await queryOne(
    guarded({
      lock: { project_id, account: project_id !== null },
      guard: [['verdict', sql`SELECT k.project_id, true AS ok ${unchanged}`]],
      rows: [['put_right', change]],
      operation: operation && { origin: { at: now(), request_id: null }, start: operation },
      hints: [{ topic: resource.type, resource_id: resource.id }],
      returns: raw('ok'),
    }),
  );
  if (written) signalChange();
  return written !== undefined;
}
