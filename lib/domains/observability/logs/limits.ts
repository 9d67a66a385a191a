import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import type { LogEntry } from './write';

/** Lines that a project may write at once, in seconds of its rate: a start writes much in a moment. */
const BURST_S = 10;
/** How old the known size of a project's logs may be. */
const SIZE_MS = 30_000;
const BYTES_PER_GB = 1024 ** 3;

type Bucket = { tokens: number; filled_at: number };

const buckets = new Map<string, Bucket>();
const sizes = new Map<string, { bytes: number; read_at: number }>();

/**
 * The lines that the limits of their projects let in, and how many of each project they do not. For each project that loses
 * lines, one line more tells so, in the stream of the first one lost.
 */
export async function admitted(
  entries: readonly LogEntry[],
): Promise<{ kept: LogEntry[]; dropped: Map<string, number> }> {
  const kept: LogEntry[] = [];
  const dropped = new Map<string, number>();
  for (const project_id of new Set(entries.map((entry) => entry.project_id))) {
    const own = entries.filter((entry) => entry.project_id === project_id);
    const isFull = (await storedBytes(project_id)) >= settings().logGbPerProject * BYTES_PER_GB;
    const room = isFull ? 0 : take(project_id, own.length);
    kept.push(...own.slice(0, room));
    const [first] = own.slice(room);
    if (!first) continue;
    const lost = own.length - room;
    dropped.set(project_id, lost);
    kept.push({
      ...first,
      labels: { ...first.labels, level: 'warn', stream: 'platform' },
      text: isFull ? fullText(lost) : tooFastText(lost),
    });
  }
  return { kept, dropped };
}

const countOf = (lines: number) => (lines === 1 ? '1 line was' : `${lines} lines were`);
const fullText = (lines: number) =>
  `${countOf(lines)} dropped: the logs of the project have reached their limit of ${settings().logGbPerProject} GB.`;
const tooFastText = (lines: number) =>
  `${countOf(lines)} dropped: the project writes more than ${settings().logLinesPerSecond} lines per second.`;

/** Takes up to so many tokens from the project's bucket. Each process that writes has buckets of its own. */
function take(project_id: string, wanted: number): number {
  const rate = settings().logLinesPerSecond;
  const at = performance.now();
  const bucket = buckets.get(project_id) ?? { tokens: rate * BURST_S, filled_at: at };
  const tokens = Math.min(rate * BURST_S, bucket.tokens + ((at - bucket.filled_at) / 1000) * rate);
  const taken = Math.min(wanted, Math.floor(tokens));
  buckets.set(project_id, { tokens: tokens - taken, filled_at: at });
  return taken;
}

async function storedBytes(project_id: string): Promise<number> {
  const known = sizes.get(project_id);
  if (known && performance.now() - known.read_at < SIZE_MS) return known.bytes;
  const [row] = await query<{ bytes: number }>(
    sql`SELECT stored_bytes::float8 AS bytes FROM log_usage WHERE project_id = ${project_id}::uuid`,
  );
  const bytes = row?.bytes ?? 0;
  sizes.set(project_id, { bytes, read_at: performance.now() });
  return bytes;
}
