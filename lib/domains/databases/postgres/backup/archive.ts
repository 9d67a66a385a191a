import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import type { BackupStore } from '../../backups/store';

/** Name of the physical slot that keeps WAL until it is archived. */
export const ARCHIVE_SLOT = 'nephele_archive';

const ARCHIVE_LOCK = 5_271_009_384;
const SEGMENT_BYTES = 16 * 1024 ** 2;

export type Archived = {
  /** Segments that were put in now. */
  segments: number;
  /** Their bytes in the store. */
  bytes: number;
  /** The moment up to which everything is archived; null while that is still in an unfinished segment. */
  until: Date | null;
  /** The first segment after one that is missing: backups from before it lead no further, and a new one must follow. */
  gapAt: string | null;
  /** Names of the first and the last segment that were put in, or `last` as it was. */
  first: string | null;
  last: string | null;
  /** Which transactions had ended before: `before` of the next call. The end of any other changes it. */
  snapshot: string;
};

/** What is committed at the same time as a look may be in the next segment. */
const MARGIN_MS = 1_000;

/**
 * Puts every finished segment of WAL into the store that is not there yet. Read through SQL, so that the same way works for all
 * versions, a member needs no program of its own, and nothing must stay connected; the slot keeps what was not released yet.
 * @param prefix where in the store: a group of members has its own
 * @param last name of the last archived segment; null: from the slot's beginning
 * @param finish ends the present segment first, unless it has nothing of anybody's transactions
 * @param before `snapshot` of the last call with `finish`, at the same server; null: not known
 */
export async function archiveWal(
  client: Client,
  store: BackupStore,
  prefix: string,
  last: string | null,
  finish = true,
  before: string | null = null,
): Promise<Archived> {
  await keepWal(client);
  // Everything until here is in the segment that is finished now.
  const { rows: now } = await client.query<{ at: Date; snapshot: string }>(
    'SELECT clock_timestamp() AS at, text(pg_current_snapshot()) AS snapshot',
  );
  const snapshot = now[0]?.snapshot ?? '';
  // An idle server writes a few records of its own twice a minute, and each segment takes time and room.
  const isQuiet = snapshot === before;
  if (finish && !isQuiet) await client.query('SELECT pg_switch_wal()');
  const current = await client.query<{ segment: string }>(
    'SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS segment',
  );
  const unfinished = current.rows[0]?.segment ?? '';
  const { rows } = await client.query<{ name: string }>(
    String.raw`SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' OR name ~ '^[0-9A-F]{8}\.history$' ORDER BY name`,
  );
  for (const { name } of rows.filter(({ name }) => name.endsWith('.history'))) {
    if (!(await store.has(`${prefix}${name}.gz`))) await put(client, store, prefix, name);
  }
  // A segment of an earlier timeline at a later place is one that waits to be used again.
  const finished = rows
    .map(({ name }) => name)
    .filter((name) => name.length === 24 && isBefore(name, unfinished) && positionOf(name) <= positionOf(unfinished));
  const wanted = finished.filter((name) => last === null || isBefore(last, name));
  let bytes = 0;
  for (const name of wanted) bytes += await put(client, store, prefix, name);
  const newest = wanted.at(-1) ?? last;
  const at = now[0]?.at;
  return {
    segments: wanted.length,
    bytes,
    until: finish && at ? new Date(at.getTime() - MARGIN_MS) : null,
    gapAt: gapIn(last, wanted),
    first: wanted[0] ?? null,
    last: newest,
    snapshot,
  };
}

/** The first segment after a hole in the log. A new timeline may begin before the end of the former one. */
export function gapIn(last: string | null, names: readonly string[]): string | null {
  let before = last;
  let found: string | null = null;
  for (const name of names) {
    if (before !== null && positionOf(name) > positionOf(before) + 1n) found = name;
    before = name;
  }
  return found;
}

async function put(client: Client, store: BackupStore, prefix: string, name: string): Promise<number> {
  const { rows } = await client.query<{ content: Buffer }>('SELECT pg_read_binary_file($1) AS content', [
    `pg_wal/${name}`,
  ]);
  const content = rows[0]?.content;
  if (!content || (name.length === 24 && content.length !== SEGMENT_BYTES))
    throw new Error(`The segment ${name} is cut.`);
  return store.write(`${prefix}${name}.gz`, Readable.from([content]).pipe(createGzip({ level: 1 })));
}

/**
 * Makes other archivers of the same server wait until this session ends. Otherwise one would take segments that another has just
 * released for a gap.
 */
export const archiveAlone = (client: Client) => client.query('SELECT pg_advisory_lock($1)', [ARCHIVE_LOCK]);

/** A physical slot that nobody reads from: what comes after its position is not removed. Also of a standby, which may be promoted. */
export async function keepWal(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_replication_slots WHERE slot_name = $1', [ARCHIVE_SLOT]);
  if (!rowCount) await client.query('SELECT pg_create_physical_replication_slot($1, true)', [ARCHIVE_SLOT]);
}

/** Lets the server remove segments that are archived. */
export async function releaseWal(client: Client, archived: string): Promise<void> {
  const end = (positionOf(archived) + 1n) * BigInt(SEGMENT_BYTES);
  const lsn = `${(end >> 32n).toString(16)}/${(end & 0xffffffffn).toString(16)}`;
  await client.query(
    `SELECT pg_replication_slot_advance($1, least($2::pg_lsn, CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END)) FROM pg_replication_slots
      WHERE slot_name = $1 AND restart_lsn < $2::pg_lsn AND wal_status <> 'lost'`,
    [ARCHIVE_SLOT, lsn],
  );
  // A slot that lost its place keeps nothing: the next call creates it again.
  await client.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND wal_status = 'lost'`,
    [ARCHIVE_SLOT],
  );
}

/** Number of a segment in the log, without its timeline. */
export function positionOf(segment: string): bigint {
  return BigInt(`0x${segment.slice(8, 16)}`) * 256n + BigInt(`0x${segment.slice(16)}`);
}

/** A later timeline comes later, whatever its position. */
const isBefore = (one: string, other: string) => one < other;
