import { type Client, escapeIdentifier as id, escapeLiteral as text } from 'pg';
import { handOver } from './apply-role';
import { type Direction, NAMES_OF, OWN_SCHEMA, replicationName } from './names';
import { ANY_DATABASE, inEach, type Side, using } from './side';
import { until } from './until';

/** How far the first copy is. */
export type CopyProgress = { tables: number; copied: number; bytes: number; copiedBytes: number };

/**
 * Tables with rows of their own that replication carries: by name and not `FOR ALL TABLES`, so that a table that comes later
 * is left alone. One without identity could not be updated any more.
 */
const TABLES = `
  SELECT c.oid, n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    AND NOT (n.nspname = '${OWN_SCHEMA}' AND c.relname = 'finished')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** Lets a role that is no superuser copy and follow the tables of each database. */
export async function allowFollowing(side: Side, databases: readonly string[], role: string): Promise<void> {
  await using(side, ANY_DATABASE, async (client) => {
    await client.query(`ALTER ROLE ${id(role)} REPLICATION BYPASSRLS`);
    await client.query(`GRANT pg_read_all_data TO ${id(role)}`);
    for (const database of databases) await client.query(`GRANT CONNECT ON DATABASE ${id(database)} TO ${id(role)}`);
  });
}

/** Publishes the tables of each database for one direction. */
export async function publish(side: Side, databases: readonly string[], jobId: string, way: Direction): Promise<void> {
  await inEach(side, databases, async (client, database) => {
    const name = replicationName(jobId, way, database);
    if ((await client.query('SELECT FROM pg_publication WHERE pubname = $1', [name])).rowCount) return;
    const { rows } = await client.query<{ schema: string; name: string }>(TABLES);
    const tables = rows.map((table) => `${id(table.schema)}.${id(table.name)}`);
    await client.query(`CREATE PUBLICATION ${id(name)} FOR TABLE ${tables.join(', ')}`);
  });
}

/** Origins are told apart from 16 on; before, no change can come back, because the other direction is gone by then. */
const origin = (from: Side, to: Side) => (from.major >= 16 && to.major >= 16 ? ', origin = none' : '');

/** Everything is applied by the rights of the subscription's owner, as before 16; its password is in a file. */
const rights = (to: Side) => (to.major >= 16 ? ', run_as_owner = true, password_required = false' : '');

/** Subscribes the new side, which copies every table first. */
export async function subscribeWithCopy(
  from: Side,
  to: Side,
  databases: readonly string[],
  jobId: string,
): Promise<void> {
  await inEach(to, databases, async (client, database) => {
    const name = replicationName(jobId, 'forward', database);
    if (!(await isSubscribed(client, name))) {
      // A call that was interrupted may have left the slot.
      await dropSlot(from, name);
      await client.query(`CREATE SUBSCRIPTION ${id(name)} CONNECTION ${text(from.conninfo(database))}
        PUBLICATION ${id(name)} WITH (enabled = false, streaming = off${origin(from, to)}${rights(to)})`);
    }
  });
  await handOverAll(to, databases, jobId, 'forward');
}

/** Subscribes the former side to what was written since the slots were created. */
export async function followBack(from: Side, to: Side, databases: readonly string[], jobId: string): Promise<void> {
  await inEach(to, databases, async (client, database) => {
    const name = replicationName(jobId, 'reverse', database);
    if (!(await isSubscribed(client, name)))
      await client.query(`CREATE SUBSCRIPTION ${id(name)} CONNECTION ${text(from.conninfo(database))} PUBLICATION ${id(name)}
        WITH (enabled = false, copy_data = false, create_slot = false, slot_name = ${text(name)}${origin(from, to)}${rights(to)})`);
  });
  await handOverAll(to, databases, jobId, 'reverse');
}

/** One after the other: each changes the role that they share. */
async function handOverAll(to: Side, databases: readonly string[], jobId: string, way: Direction): Promise<void> {
  for (const database of databases)
    await using(to, database, (client) => handOver(client, to.major, replicationName(jobId, way, database)));
}

async function isSubscribed(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_subscription WHERE subname = $1
      AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [name],
  );
  return Boolean(rowCount);
}

/** Keeps a place in the log of each database from which the other side will follow. */
export async function createSlots(
  side: Side,
  databases: readonly string[],
  jobId: string,
  way: Direction,
): Promise<void> {
  await inEach(side, databases, async (client, database) => {
    const name = replicationName(jobId, way, database);
    const { rowCount } = await client.query('SELECT FROM pg_replication_slots WHERE slot_name = $1', [name]);
    if (!rowCount) await client.query(`SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, [name]);
  });
}

async function dropSlot(side: Side, name: string): Promise<void> {
  await using(side, ANY_DATABASE, (client) => client.query(DROP_SLOTS, [name]));
}

/** A slot in use belongs to a connection that has not ended yet: the caller tries again. */
const DROP_SLOTS = `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
  WHERE slot_name LIKE $1 AND NOT active`;

/** How far the new side's first copy is; all copied: it follows live. */
export async function copyProgress(
  from: Side,
  to: Side,
  databases: readonly string[],
  jobId: string,
): Promise<CopyProgress> {
  const parts = await inEach(to, databases, async (client, database) => {
    const { rows } = await client.query<{ name: string; ready: boolean }>(
      `SELECT r.srrelid::regclass::text AS name, r.srsubstate = 'r' AS ready FROM pg_subscription_rel r
        JOIN pg_subscription s ON s.oid = r.srsubid WHERE s.subname = $1`,
      [replicationName(jobId, 'forward', database)],
    );
    const sizes = await using(from, database, (source) =>
      source.query<{ name: string; bytes: string }>(
        `SELECT oid::regclass::text AS name, pg_table_size(oid)::text AS bytes FROM (${TABLES}) t`,
      ),
    );
    const bytesOf = new Map(sizes.rows.map(({ name, bytes }) => [name, Number(bytes)]));
    const ready = rows.filter((row) => row.ready);
    const sum = (tables: typeof rows) => tables.reduce((total, { name }) => total + (bytesOf.get(name) ?? 0), 0);
    return { tables: rows.length, copied: ready.length, bytes: sum(rows), copiedBytes: sum(ready) };
  });
  return parts.reduce((one, other) => ({
    tables: one.tables + other.tables,
    copied: one.copied + other.copied,
    bytes: one.bytes + other.bytes,
    copiedBytes: one.copiedBytes + other.copiedBytes,
  }));
}

/** Shown to the tenant when a replication slot is missing. */
export const REPLICATION_ENDED = 'Replication has ended: the primary was replaced, or its log was cut off.';

/** Bytes of the log that the follower has not confirmed, of the database that is farthest behind; null: a slot is gone. */
export async function lagBytes(
  side: Side,
  databases: readonly string[],
  jobId: string,
  way: Direction,
): Promise<number | null> {
  const names = databases.map((database) => replicationName(jobId, way, database));
  const { rows } = await using(side, ANY_DATABASE, (client) =>
    client.query<{ lag: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::text AS lag FROM pg_replication_slots
        WHERE slot_name = ANY ($1) AND wal_status IS DISTINCT FROM 'lost'`,
      [names],
    ),
  );
  return rows.length < names.length ? null : Math.max(...rows.map(({ lag }) => Math.max(0, Number(lag))));
}

/** Errors of the follower since it began, which each stop it until it can go on. */
export async function applyErrors(side: Side, database: string): Promise<number> {
  if (side.major < 15) return 0;
  const { rows } = await using(side, database, (client) =>
    client.query<{ errors: string }>(
      `SELECT coalesce(sum(apply_error_count + sync_error_count), 0)::text AS errors FROM pg_stat_subscription_stats
        WHERE subname LIKE 'nephele\\_%'`,
    ),
  );
  return Number(rows[0]?.errors ?? 0);
}

/**
 * Ends one direction on both sides. The follower is told to forget its slot first, so that a publisher that is gone holds
 * nothing up.
 */
export async function endReplication(
  from: Side | null,
  to: Side | null,
  databases: readonly string[],
  way: Direction,
): Promise<void> {
  if (to) await inEach(to, databases, (client) => dropSubscriptions(client, NAMES_OF[way]));
  if (!from) return;
  await inEach(from, databases, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT pubname AS name FROM pg_publication WHERE pubname LIKE $1',
      [NAMES_OF[way]],
    );
    for (const { name } of rows) await client.query(`DROP PUBLICATION IF EXISTS ${id(name)}`);
  });
  await using(from, ANY_DATABASE, async (client) => {
    // What a walsender still holds is released with it.
    await client.query(
      'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE $1 AND active',
      [NAMES_OF[way]],
    );
    await until('a slot to be released', RELEASE_MS, async () => {
      await client.query(DROP_SLOTS, [NAMES_OF[way]]);
      const { rowCount } = await client.query('SELECT FROM pg_replication_slots WHERE slot_name LIKE $1', [
        NAMES_OF[way],
      ]);
      return rowCount === 0;
    });
  });
}

const RELEASE_MS = 10_000;

async function dropSubscriptions(client: Client, names: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT subname AS name FROM pg_subscription WHERE subname LIKE $1
      AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [names],
  );
  for (const { name } of rows) {
    await client.query(`ALTER SUBSCRIPTION ${id(name)} DISABLE`);
    await client.query(`ALTER SUBSCRIPTION ${id(name)} SET (slot_name = NONE)`);
    await client.query(`DROP SUBSCRIPTION ${id(name)}`);
  }
}
