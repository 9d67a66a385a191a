import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { databaseCache, databaseError, execute, query } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { CHUNK_BYTES, type Line, packChunk } from './chunk';
import { type Labels, labelsHash, labelsKey, type StreamLabels } from './labels';
import { admitted } from './limits';
import { isPushing } from './loki/queue';
import { redact } from './redact';

/** A line as its source has it. */
export type LogEntry = { project_id: string; labels: StreamLabels; at: Date; text: string };

/** Where a source was read to: before these lines, and after them. `null` before the first ones. */
export type Progress = { source: string; before: string | null; after: string };

/** Entries of a queue that these lines are copies of. */
export type Taken = { queued: readonly string[] };

/** Longer lines are cut. */
const MOST_LINE_BYTES = 64 * 1024;
const FOREIGN_KEY = '23503';
/** Ids of streams that this process remembers; a project has one for each resource, level and source. */
const MOST_KNOWN_STREAMS = 100_000;

/** `last_us`: the time of the last line that this process wrote there. */
type KnownStream = { id: string; last_us: number };
const knownStreams = databaseCache(() => new Map<string, KnownStream>());
/** How far the lines of one millisecond may reach: there may be more than a thousand. */
const BUNCHED_US = 10_000;

/**
 * Stores lines durably, in one statement with the progress of their source: a crash at any moment loses no line that the
 * source still has, and stores none twice. Lines over the project's limits are dropped and counted, and a line says so.
 * @param lost lines of each project that their source has lost, counted with those dropped
 * @returns false where another reader of the same source was faster; nothing is stored then
 */
export async function writeLogs(
  entries: readonly LogEntry[],
  progress?: Progress | Taken,
  lost: ReadonlyMap<string, number> = new Map(),
): Promise<boolean> {
  const { kept, dropped } = await admitted(entries);
  for (const [project_id, lines] of lost) dropped.set(project_id, (dropped.get(project_id) ?? 0) + lines);
  const streams = byStream(kept);
  const chunks = await Promise.all(streams.flatMap(({ lines }) => splitLines(lines).map(packChunk)));
  const owners = streams.flatMap((stream) => splitLines(stream.lines).map(() => stream));
  const store = async () => {
    await register(streams);
    return execute(sql`
      WITH ${moveOf(progress)}, stored AS (
        INSERT INTO log_chunks (project_id, stream_id, first_us, last_us, lines, raw_bytes, checksum, body, grams)
        SELECT chunk.* FROM unnest(${owners.map(({ project_id }) => project_id)}::uuid[],
          ${owners.map((stream) => knownOf(stream).id)}::bigint[],
          ${chunks.map(({ first_us }) => first_us)}::bigint[], ${chunks.map(({ last_us }) => last_us)}::bigint[],
          ${chunks.map(({ lines }) => lines)}::int[], ${chunks.map(({ raw_bytes }) => raw_bytes)}::int[],
          ${chunks.map(({ checksum }) => checksum)}::bigint[], ${chunks.map(({ body }) => body)}::bytea[],
          ${chunks.map(({ grams }) => grams)}::bytea[]) AS chunk, moved
        RETURNING id, project_id, first_us, octet_length(body) AS bytes),
      arrived AS (INSERT INTO log_arrivals (chunk_id, at) SELECT id, platform_now() FROM stored),
      waiting AS (INSERT INTO log_pushes (chunk_id, first_us) SELECT id, first_us FROM stored WHERE ${isPushing}),
      counted AS (
        SELECT project_id, bytes, 0 AS lines FROM stored UNION ALL
        SELECT drops.project_id, 0, drops.lines FROM unnest(${[...dropped.keys()]}::uuid[], ${[...dropped.values()]}::int[])
          AS drops (project_id, lines), moved),
      used AS (
        INSERT INTO log_usage AS u (project_id, stored_bytes, dropped_lines)
        SELECT project_id, sum(bytes), sum(lines) FROM counted GROUP BY project_id ORDER BY project_id
        ON CONFLICT (project_id) DO UPDATE
        SET stored_bytes = u.stored_bytes + excluded.stored_bytes, dropped_lines = u.dropped_lines + excluded.dropped_lines)
      SELECT FROM moved`);
  };
  const stored = await store().catch((error) => {
    if (databaseError(error)?.code !== FOREIGN_KEY) throw error;
    // Retention removed a stream that this process remembers.
    for (const stream of streams) knownStreams().delete(keyOf(stream));
    return store();
  });
  if (stored > 0) {
    for (const stream of streams) knownOf(stream).last_us = stream.lines.at(-1)?.at_us ?? 0;
    signalChange('logs');
  }
  return stored > 0;
}

/** Expressions of which `moved` gives a row if the source still stands where these lines begin. */
function moveOf(progress: Progress | Taken | undefined): Sql {
  if (!progress) return sql`moved AS (SELECT 1)`;
  if ('queued' in progress) {
    const entries = sql`entry_id = ANY (${progress.queued}::uuid[])`;
    return sql`held AS (SELECT entry_id FROM log_audit_queue WHERE ${entries} FOR UPDATE),
      moved AS (SELECT 1 FROM held HAVING count(*) = ${progress.queued.length}::int),
      gone AS (DELETE FROM log_audit_queue WHERE ${entries} AND EXISTS (SELECT FROM moved))`;
  }
  const { source, before, after } = progress;
  return before === null
    ? sql`moved AS (INSERT INTO log_cursors (source, cursor, updated_at) VALUES (${source}::text, ${after}::text, platform_now())
        ON CONFLICT (source) DO NOTHING RETURNING 1)`
    : sql`moved AS (UPDATE log_cursors SET cursor = ${after}::text, updated_at = platform_now()
        WHERE source = ${source}::text AND cursor = ${before}::text RETURNING 1)`;
}

type Stream = { project_id: string; labels: Labels; lines: Line[] };

/** Keys of labels that a source shares between its lines. */
const sharedKeys = new WeakMap<Labels, string>();

function keyOf({ project_id, labels }: Pick<Stream, 'project_id' | 'labels'>): string {
  const key = sharedKeys.get(labels) ?? labelsKey(labels);
  sharedKeys.set(labels, key);
  return `${project_id} ${key}`;
}

function knownOf(stream: Stream): KnownStream {
  const known = knownStreams().get(keyOf(stream));
  if (!known) throw new Error('a stream of log lines was not registered');
  return known;
}

/**
 * Lines of each stream, sorted by time. Lines of the same moment are put a microsecond apart, in their order and after those
 * of the write before: clients page by time.
 */
function byStream(entries: readonly LogEntry[]): Stream[] {
  const streams = new Map<string, Stream>();
  for (const { project_id, labels, at, text } of entries) {
    const stream: Stream = { project_id, labels, lines: [] };
    const key = keyOf(stream);
    const known = streams.get(key) ?? stream;
    streams.set(key, known);
    known.lines.push({ at_us: at.getTime() * 1000, text: cut(redact(text)) });
  }
  for (const [key, { lines }] of streams) {
    lines.sort((one, other) => one.at_us - other.at_us);
    const before = knownStreams().get(key)?.last_us ?? 0;
    let last = before - (lines[0]?.at_us ?? 0) < BUNCHED_US ? before : 0;
    for (const line of lines) {
      line.at_us = Math.max(line.at_us, last + 1);
      last = line.at_us;
    }
  }
  return [...streams.values()];
}

function cut(text: string): string {
  if (text.length * 3 <= MOST_LINE_BYTES || Buffer.byteLength(text) <= MOST_LINE_BYTES) return text;
  // A character that the cut would split is left out.
  return `${Buffer.from(text)
    .toString('utf8', 0, MOST_LINE_BYTES)
    .replace(/\uFFFD$/, '')}…`;
}

function splitLines(lines: readonly Line[]): Line[][] {
  const parts: Line[][] = [];
  let part: Line[] = [];
  let bytes = 0;
  for (const line of lines) {
    part.push(line);
    bytes += line.text.length;
    if (bytes < CHUNK_BYTES) continue;
    parts.push(part);
    part = [];
    bytes = 0;
  }
  return part.length > 0 ? [...parts, part] : parts;
}

/** Gives the streams that this process does not know their ids. */
async function register(streams: readonly Stream[]): Promise<void> {
  const unknown = streams.filter((stream) => !knownStreams().has(keyOf(stream)));
  if (unknown.length === 0) return;
  if (knownStreams().size > MOST_KNOWN_STREAMS) knownStreams().clear();
  const rows = unknown.map(
    ({ project_id, labels }) =>
      sql`(${project_id}::uuid, ${JSON.stringify(labels)}::jsonb, ${labelsHash(labels)}::bytea, ${now()}::timestamptz)`,
  );
  await execute(sql`INSERT INTO log_streams (project_id, labels, hash, created_at) VALUES ${join(rows, ', ')}
    ON CONFLICT (project_id, hash) DO NOTHING`);
  const found = await query<{ id: string; project_id: string; labels: Labels }>(sql`
    SELECT s.id::text AS id, s.project_id, s.labels FROM log_streams s
    JOIN unnest(${unknown.map(({ project_id }) => project_id)}::uuid[], ${unknown.map(({ labels }) => labelsHash(labels))}::bytea[])
      AS wanted (project_id, hash) USING (project_id, hash)`);
  for (const { id, ...stream } of found) knownStreams().set(keyOf(stream), { id, last_us: 0 });
  log.debug({ streams: found.length }, 'streams of log lines were registered');
}
