import { now } from '@/lib/clock';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid } from '@/lib/core/api/errors';
import { type EventSource, event } from '@/lib/core/events/event-stream';
import { log } from '@/lib/log';
import { type Arrival, arrivalFeed, arrivalsBetween, MOST_SLEEP_MS, type News, type Reading } from './arrivals';
import type { LogExpr } from './logql/ast';
import { selects } from './logql/pipeline';
import { type FoundStream, findLines, linesIn, type Reader, readQuery } from './query';
import { ChunksMoved, LATEST_US, type LogStream, streamsOf } from './read';
import { readerOf } from './service';
import { nanoseconds, spanOf } from './times';

/** Lines that wait for a slow reader. What is more is left out, and counted. */
const MOST_WAITING_LINES = 20_000;
/** Bodies that are fetched together. */
const CHUNKS_AT_ONCE = 32;

export type TailQuery = { query: string; start?: string | undefined; since?: string | undefined; limit: number };

/**
 * The lines of a query as events: `lines` for those before the stream began (the newest `limit`; perhaps none), then for new
 * ones; `gap` where lines were left out. The id of an event is a place to resume from.
 * @param resume the id of the last event that the client had
 * @throws ApiError 400 for a metric query
 */
export function tailLogs(call: ProjectCall, given: TailQuery, resume: string | null): EventSource {
  const reader = readerOf(call);
  const parsed = readQuery(given.query, reader);
  if (parsed.kind !== 'log') throw invalid('Only a query for lines can be followed; a metric query has none.');
  const { from_us } = spanOf(given, now(), 'up');
  return new Tail(parsed, reader, { from_us, limit: given.limit }, resume);
}

class Tail implements EventSource {
  private readonly leaving = new AbortController();
  private readonly isSelected: (labels: LogStream['labels']) => boolean;
  /** By id: streams of the query; `undefined` for others of the project. */
  private readonly streams = new Map<string, LogStream | undefined>();
  private waiting: { arrivals: readonly Arrival[]; reading: Reading }[] = [];
  private waitingLines = 0;
  private trimming: Promise<void> | undefined;
  private ready = '';
  /** Lines that were left out; `null`: nobody knows how many. */
  private gap: number | null | undefined;
  /** Everything before it was sent. */
  private sent: Reading | undefined;
  private leave = () => {};

  constructor(
    private readonly log: LogExpr,
    private readonly reader: Reader,
    private readonly past: { from_us: number; limit: number },
    private readonly resume: string | null,
  ) {
    this.isSelected = selects(log.matchers);
  }

  async begin(wake: () => void): Promise<void> {
    const { reading, leave } = await arrivalFeed.join((news) => {
      this.hear(news);
      wake();
    });
    this.leave = leave;
    if (this.leaving.signal.aborted) leave();
    this.sent = reading;
    const from = this.resume === null ? undefined : readingOf(this.resume);
    if (!from) {
      this.ready = this.linesEvent(await this.linesBefore(reading));
      return;
    }
    this.ready = this.linesEvent([]);
    if (reading.at_ms - from.at_ms > MOST_SLEEP_MS) this.gap = null;
    const arrivals = await arrivalsBetween(this.reader.project_id, from, reading);
    this.waiting.unshift({ arrivals, reading });
  }

  /** The newest lines from before a reading. */
  private async linesBefore(as_of: Reading): Promise<FoundStream[]> {
    const { from_us, limit } = this.past;
    if (limit === 0) return [];
    const span = { from_us, to_us: LATEST_US, as_of };
    const { result } = await findLines(this.log, this.reader, {
      span,
      limit,
      direction: 'backward',
      signal: this.leaving.signal,
    });
    return result.map(({ labels, entries }) => ({ labels, entries: entries.toReversed() }));
  }

  private hear({ arrivals, reading, missed }: News): void {
    if (missed) this.gap = null;
    const own = arrivals.filter((arrival) => arrival.project_id === this.reader.project_id && !this.isForeign(arrival));
    const last = this.waiting.at(-1);
    if (last && own.length === 0) last.reading = reading;
    else this.waiting.push({ arrivals: own, reading });
    this.waitingLines += linesOf(own);
    if (this.waitingLines > MOST_WAITING_LINES) this.trimming ??= this.trim();
  }

  /** Leaves out what waits if it is too much. Lines of new streams count only once it is known that the query selects them. */
  private async trim(): Promise<void> {
    try {
      await this.learnStreams(this.waiting.flatMap(({ arrivals }) => arrivals));
    } catch (error) {
      log.debug({ err: error }, 'streams of a slow reader could not be read; all that waits is left out');
    }
    this.trimming = undefined;
    for (const next of this.waiting) next.arrivals = next.arrivals.filter((arrival) => !this.isForeign(arrival));
    this.waitingLines = linesOf(this.waiting.flatMap(({ arrivals }) => arrivals));
    const last = this.waiting.at(-1);
    if (!last || this.waitingLines <= MOST_WAITING_LINES) return;
    this.leaveOut(this.waitingLines);
    this.waiting = [{ arrivals: [], reading: last.reading }];
    this.waitingLines = 0;
  }

  /** Known not to be selected by the query. */
  private isForeign({ stream_id }: Arrival): boolean {
    return this.streams.has(stream_id) && !this.streams.get(stream_id);
  }

  private leaveOut(lines: number): void {
    if (lines > 0 && this.gap !== null) this.gap = (this.gap ?? 0) + lines;
  }

  async take(): Promise<string> {
    await this.trimming;
    let text = this.ready;
    this.ready = '';
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      this.waitingLines -= linesOf(next.arrivals);
      const found = await this.linesOf(next.arrivals);
      this.sent = next.reading;
      if (found.length > 0) text += this.linesEvent(found);
      if (text !== '') break;
    }
    if (this.gap === undefined) return text;
    const gap = event('gap', { lines: this.gap });
    this.gap = undefined;
    return gap + text;
  }

  private async linesOf(arrivals: readonly Arrival[]): Promise<FoundStream[]> {
    await this.learnStreams(arrivals);
    const places = arrivals.filter(({ stream_id }) => this.streams.get(stream_id));
    const streams = new Map([...this.streams].flatMap(([id, stream]) => (stream ? [[id, stream]] : [])));
    const found: FoundStream[] = [];
    for (let first = 0; first < places.length; first += CHUNKS_AT_ONCE) {
      const batch = places.slice(first, first + CHUNKS_AT_ONCE);
      try {
        found.push(...(await linesIn(this.log, this.reader, batch, { streams, signal: this.leaving.signal })));
      } catch (error) {
        if (!(error instanceof ChunksMoved)) throw error;
        this.leaveOut(linesOf(batch));
      }
    }
    return found;
  }

  private async learnStreams(arrivals: readonly Arrival[]): Promise<void> {
    const unknown = arrivals.filter(({ stream_id }) => !this.streams.has(stream_id));
    if (unknown.length === 0) return;
    const found = await streamsOf(this.reader.project_id, this.reader);
    // Not before the answer: news that come meanwhile would be taken for those of another query.
    for (const { stream_id } of unknown) this.streams.set(stream_id, undefined);
    for (const stream of found) this.streams.set(stream.id, this.isSelected(stream.labels) ? stream : undefined);
  }

  private linesEvent(found: readonly FoundStream[]): string {
    const streams = found.map(({ labels, entries }) => ({
      stream: labels,
      values: entries.map(({ at_us, line }): [string, string] => [nanoseconds(at_us), line]),
    }));
    return `${this.heartbeat()}\n${event('lines', { streams })}`;
  }

  heartbeat(): string {
    return this.sent ? `id: ${idOf(this.sent)}` : '';
  }

  end(): void {
    this.leaving.abort();
    this.leave();
  }
}

const linesOf = (arrivals: readonly Arrival[]) => arrivals.reduce((sum, { lines }) => sum + lines, 0);

const idOf = ({ at_ms, xmax, running }: Reading) => `${Math.floor(at_ms)}-${xmax}-${running.join('.')}`;

/** Ids of transactions have at most 18 digits here, so that each fits a bigint. */
function readingOf(id: string): Reading | undefined {
  const [, at_ms, xmax, running] = /^(\d{1,15})-(\d{1,18})-((?:\d{1,18}(?:\.\d{1,18}){0,999})?)$/.exec(id) ?? [];
  if (at_ms === undefined || xmax === undefined || running === undefined) return undefined;
  return { at_ms: Number(at_ms), xmax, running: running === '' ? [] : running.split('.') };
}
