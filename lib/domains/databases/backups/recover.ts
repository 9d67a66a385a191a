import { positionOf } from '../postgres/backup/archive';
import { RECOVERY_QUESTION, recoveryState, walAfter } from '../postgres/backup/recovery';
import { logPrefix } from './archives';
import type { Source } from './engine';
import { baseAndHistories, segmentsOf, sendTo } from './send';
import { baseKey, storeOf } from './store';

/** Segments that lie ready for a server that recovers: a log of any length fits beside its data. */
const AHEAD = 8n;
const SEGMENT_BYTES = BigInt(16 * 1024 ** 2);
/** A server that stands still for so long at the end of its log has read it. */
const STILL_MS = 3_000;

const startOf = ({ start_segment }: Source): string => {
  if (start_segment === null) throw new Error('The backup does not say where its log begins.');
  return start_segment;
};

/** What this process has sent, and since when the server stands where it is. Another process begins anew, and sends some twice. */
type Memory = { sent: Set<string>; at: bigint; since: number };
const memories = new Map<string, Memory>();

/**
 * Brings the data of a backup to a member that waits for them.
 * @returns whether they are there
 */
export async function bringData(member: { cell: string; id: string }, source: Source): Promise<boolean> {
  const store = storeOf(source.source_id);
  const prefix = logPrefix(source.group_no);
  const histories =
    source.at === null
      ? []
      : (await walAfter(store, prefix, startOf(source))).histories.map((name) => ({
          name,
          key: `${prefix}${name}.gz`,
        }));
  const wanted = await sendTo(member, (part) =>
    part === 'data' ? baseAndHistories(store, baseKey(source.backup_id), histories) : undefined,
  );
  return wanted !== null;
}

type Ask = (statement: string) => Promise<{ recovering: boolean; replayed: string | null }[]>;

/**
 * Looks at a member that recovers, and brings it the part of the log that it needs next.
 * @returns whether it is done, and takes writes
 */
export async function bringLog(member: { cell: string; id: string }, source: Source, ask: Ask): Promise<boolean> {
  const [row] = await ask(RECOVERY_QUESTION);
  const state = recoveryState(row);
  if (state === 'done') {
    memories.delete(member.id);
    return true;
  }
  if (source.at === null) return false;
  const { replayed } = state;
  const memory = memories.get(member.id) ?? { sent: new Set<string>(), at: -1n, since: performance.now() };
  memories.set(member.id, memory);
  if (memory.at !== replayed) Object.assign(memory, { at: replayed, since: performance.now() });
  const store = storeOf(source.source_id);
  const prefix = logPrefix(source.group_no);
  const { segments } = await walAfter(store, prefix, startOf(source));
  const place = replayed / SEGMENT_BYTES;
  const next = segments.filter((name) => {
    const position = positionOf(name);
    return position >= place && position < place + AHEAD && !memory.sent.has(name);
  });
  if (next.length > 0) {
    const wanted = await sendTo(member, (part) => (part === 'log' ? segmentsOf(store, prefix, next) : undefined));
    if (wanted !== 'log') throw new Error('The member takes no log.');
    for (const name of next) memory.sent.add(name);
    memory.since = performance.now();
    return false;
  }
  const last = segments.at(-1);
  const isAtEnd = last === undefined || place >= positionOf(last);
  // The moment is after the last commit: all that was written until then is there.
  if (isAtEnd && performance.now() - memory.since >= STILL_MS) await ask('SELECT pg_promote(false)');
  return false;
}

/** Ends a server of this process's that recovers. */
export const forgetRecovery = (id: string) => void memories.delete(id);
