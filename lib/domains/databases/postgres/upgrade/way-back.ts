import type { WayBack } from '../../jobs/engine';
import { databasesOf } from './databases';
import { type SchemaChange, schemaChanges } from './ddl-watch';
import type { Direction } from './names';
import { lagBytes } from './replicate';
import { ANY_DATABASE, inEach, type Side, using } from './side';

/**
 * Whether the follower of a direction can take over without losing anything, and why it cannot: changes of the schema, large
 * objects, other databases, a log that was cut off.
 */
export async function canFollow(
  serving: Side,
  databases: readonly string[],
  jobId: string,
  way: Direction,
): Promise<WayBack> {
  const reason = await whatReplicationMisses(serving, databases);
  if (reason !== null) return { possible: false, reason };
  const lag = await lagBytes(serving, databases, jobId, way);
  if (lag === null) {
    const lost =
      'The other version is too far behind: the limit of the log that is kept for it was passed, or a fail-over ended it.';
    return { possible: false, reason: lost };
  }
  return { possible: true, lagBytes: lag };
}

/** The first thing on the serving side that the other will never get; null: nothing. */
export async function whatReplicationMisses(serving: Side, databases: readonly string[]): Promise<string | null> {
  const now = await databasesOf(serving);
  const added = now.find((name) => !databases.includes(name));
  if (added !== undefined) return `The database ${added} was created.`;
  const removed = databases.find((name) => !now.includes(name));
  if (removed !== undefined) return `The database ${removed} was dropped.`;
  const [change] = await schemaChanges(serving, databases);
  if (change) return describeChange(change);
  const [database] = await withLargeObjects(serving, databases);
  if (database !== undefined) return `A large object was created in the database ${database}.`;
  return null;
}

function describeChange({ database, command, object, role, at }: SchemaChange): string {
  const what = object === null ? command : `${command} ${object}`;
  return `The schema of the database ${database} was changed: ${what}, by ${role} at ${at.toISOString()}.`;
}

/** Databases that hold large objects, which are not replicated. */
export async function withLargeObjects(side: Side, databases: readonly string[]): Promise<string[]> {
  const found = await inEach(side, databases, async (client, database) => {
    const { rowCount } = await client.query('SELECT FROM pg_largeobject_metadata LIMIT 1');
    return rowCount ? [database] : [];
  });
  return found.flat();
}

/** How much of its log a side keeps for the other, which falls behind for good when that is not enough. */
export async function limitKeptLog(side: Side, megabytes: number): Promise<void> {
  await using(side, ANY_DATABASE, async (client) => {
    await client.query(`ALTER SYSTEM SET max_slot_wal_keep_size = ${megabytes}`);
    await client.query('SELECT pg_reload_conf()');
  });
}

/** Keeps the log for as long as someone needs it again. */
export async function keepLog(side: Side): Promise<void> {
  await using(side, ANY_DATABASE, async (client) => {
    await client.query('ALTER SYSTEM RESET max_slot_wal_keep_size');
    await client.query('SELECT pg_reload_conf()');
  });
}
