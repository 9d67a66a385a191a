import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { guarded } from '@/lib/core/quota/guarded';
import type { NewOperation } from './enqueue';

/** What an observer puts right about one resource. */
export type ResourceRepair = {
  resource: { type: string; id: string };
  /** Null for what belongs to the platform. */
  project_id: string | null;
  /**
   * Whether the row is still as the observer found it: `FROM k JOIN … WHERE … FOR UPDATE OF …`. It joins `k`, so that the
   * project's account is locked first.
   */
  unchanged: Sql;
  /** The change of the row; depends on `ifAdmitted`. */
  change: Sql;
  /** What brings the thing itself back to what it should be. */
  operation?: NewOperation | undefined;
};

/** Writes a repair with its operation and change hint, unless someone acted in the meantime. @returns whether it was written */
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
