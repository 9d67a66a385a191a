import { onChange } from '@/lib/core/db/changes';
import { query, queryRow } from '@/lib/core/db/pool';
import { isAfter, ownPosition, type Position } from '@/lib/core/db/position';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';

/** A chunk of new lines. */
export type Arrival = { id: string; project_id: string; stream_id: string; lines: number };

/** How far the arrivals were read, and when, in milliseconds since 1970. */
export type Reading = Position & { at_ms: number };

/** `missed`: the reading came so late that earlier chunks may be merged already. */
export type News = { reading: Reading; arrivals: readonly Arrival[]; missed: boolean };

type Listener = (news: News) => void;

/** Arrivals are kept for two minutes; a reading that comes later than this after the one before counts as too late. */
export const MOST_SLEEP_MS = 60_000;

/** Tells all who follow logs in this process about new chunks. Reads once for all of them, and only while there are any. */
class ArrivalFeed {
  private readonly listeners = new Set<Listener>();
  private users = 0;
  private following: Promise<{ stop(): Promise<void> }> | undefined;
  private latest: Reading | undefined;

  /** @returns the reading after which the listener is told of every arrival */
  async join(listener: Listener): Promise<{ reading: Reading; leave: () => void }> {
    this.users += 1;
    try {
      this.following ??= this.follow();
      await this.following;
    } catch (error) {
      this.following = undefined;
      this.users -= 1;
      throw error;
    }
    if (!this.latest) throw new Error('the feed of arrivals has begun without a reading');
    this.listeners.add(listener);
    return { reading: this.latest, leave: () => this.leave(listener) };
  }

  private leave(listener: Listener): void {
    if (!this.listeners.delete(listener)) return;
    this.users -= 1;
    if (this.users > 0) return;
    const ended = this.following;
    this.following = undefined;
    ended
      ?.then((feed) => feed.stop())
      .catch((error) => log.debug({ err: error }, 'the reader of arrivals had not begun'));
  }

  private async follow(): Promise<{ stop(): Promise<void> }> {
    let reading = await readPosition();
    this.latest = reading;
    return onChange(async () => {
      const before = reading;
      const news = await readAfter(before);
      reading = news.reading;
      this.latest = reading;
      const missed = reading.at_ms - before.at_ms > MOST_SLEEP_MS;
      for (const listener of this.listeners) listener({ ...news, missed });
    }, 'logs');
  }
}

export const arrivalFeed = new ArrivalFeed();

// Of the operating system: a test that sets the platform's clock has not slept.
const clock = sql`(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at_ms`;

async function readPosition(): Promise<Reading> {
  return queryRow<Reading>(sql`SELECT ${ownPosition}, ${clock}`);
}

async function readAfter(before: Position): Promise<{ reading: Reading; arrivals: Arrival[] }> {
  const { arrivals, ...reading } = await queryRow<Reading & { arrivals: Arrival[] | null }>(sql`
    SELECT ${ownPosition}, ${clock}, (
      SELECT jsonb_agg(jsonb_build_object('id', c.id::text, 'project_id', c.project_id, 'stream_id', c.stream_id::text, 'lines', c.lines)
        ORDER BY c.id)
      FROM log_arrivals a JOIN log_chunks c ON c.id = a.chunk_id WHERE ${isAfter(before)}) AS arrivals`);
  return { reading, arrivals: arrivals ?? [] };
}

/** The arrivals of a project after one position and not after another. */
export function arrivalsBetween(project_id: string, after: Position, until: Position): Promise<Arrival[]> {
  return query<Arrival>(sql`
    SELECT c.id::text AS id, c.project_id, c.stream_id::text AS stream_id, c.lines
    FROM log_arrivals a JOIN log_chunks c ON c.id = a.chunk_id
    WHERE c.project_id = ${project_id}::uuid AND ${isAfter(after)} AND NOT ${isAfter(until)} ORDER BY c.id`);
}
