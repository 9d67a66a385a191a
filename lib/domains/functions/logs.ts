import type { z } from 'zod';
import type { ProjectCall, Reply } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { accessCheck, type EventSource, event, eventReply, eventStream } from '@/lib/core/events/event-stream';
import { historyWritten, linesOf } from './invocations';
import { poolOf } from './pool/client';
import type { LiveLine } from './pool/lines';
import type { FunctionLogLine, logQuery } from './schema';

type Asked = z.output<typeof logQuery>;

/** Streams of lines that a project can have open in one process. */
const MOST_STREAMS = 20;
/** Lines that wait for a slow reader. */
const MOST_WAITING = 10_000;

/**
 * The newest lines of a function as a list, or as a stream that goes on with those that come.
 * @throws ApiError 404, 429 when too many streams are open
 */
export async function functionLogs(
  call: ProjectCall,
  id: string,
  asked: Asked,
  headers: Headers,
): Promise<FunctionLogLine[] | Reply<Response>> {
  const target = await queryOne<{ cell_id: string }>(
    sql`SELECT cell_id FROM functions WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!target) throw notFound('The function');
  if (prefersList(headers))
    return (await newestLines(target.cell_id, call.project_id, id, asked)).map(({ index, ...line }) => line);
  const options = {
    key: `function logs of ${call.project_id}`,
    most: MOST_STREAMS,
    refusal: (open: number) => `The project follows logs of functions ${open} times already; close one first.`,
    stillAllowed: accessCheck(call, headers, (caller) =>
      caller.kind === 'administrator' ? '' : JSON.stringify(caller.membership),
    ),
    signal: call.signal,
  };
  return eventReply(eventStream(options, new Follower(call.project_id, id, target.cell_id, asked)));
}

const prefersList = (headers: Headers) => {
  const accept = headers.get('accept') ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
};

/** @returns oldest first, each with its place in the log of its attempt */
async function newestLines(
  cell: string,
  projectId: string,
  id: string,
  { limit, invocation_id }: Asked,
): Promise<LiveLine[]> {
  if (invocation_id !== undefined && !isId(invocation_id)) return [];
  await historyWritten(cell);
  const rows = await query<{ id: string; log: string }>(sql`SELECT i.id, i.log FROM function_invocations i
    WHERE i.project_id = ${projectId}::uuid AND i.function_id = ${id}::uuid AND i.log IS NOT NULL
      AND (${invocation_id ?? null}::uuid IS NULL OR i.id = ${invocation_id ?? null}::uuid)
    ORDER BY i.id DESC LIMIT ${Math.min(limit, 200)}::int`);
  const lines: LiveLine[] = [];
  for (const row of rows) {
    lines.unshift(...linesOf(row.id, row.log).map((line, index) => ({ ...line, index })));
    if (lines.length >= limit) break;
  }
  return lines.slice(-limit);
}

class Follower implements EventSource {
  private waiting: LiveLine[] = [];
  private dropped = 0;
  /** How many lines of each attempt have been sent. */
  private readonly sent = new Map<string, number>();
  private stop = () => {};
  private hasEnded = false;

  constructor(
    private readonly projectId: string,
    private readonly id: string,
    private readonly cell: string,
    private readonly asked: Asked,
  ) {}

  async begin(wake: () => void): Promise<void> {
    const live: LiveLine[] = [];
    let hear = (lines: readonly LiveLine[]) => {
      live.push(...lines);
    };
    const stop = await poolOf(this.cell)
      .follow(
        this.id,
        (lines) => hear(lines),
        () => {
          // The reader comes back, and begins anew.
          this.hasEnded = true;
          wake();
        },
      )
      .catch(() => () => {});
    this.stop = stop;
    this.add(await newestLines(this.cell, this.projectId, this.id, this.asked));
    this.add(live);
    hear = (lines) => {
      this.add(lines);
      wake();
    };
  }

  /** A line of an attempt that has just ended may come from both its row and its pool. */
  private add(lines: readonly LiveLine[]): void {
    const { invocation_id } = this.asked;
    for (const line of lines) {
      const of = line.invocation_id ?? '';
      if (invocation_id !== undefined && of !== invocation_id.toLowerCase()) continue;
      if (line.index < (this.sent.get(of) ?? 0)) continue;
      this.sent.set(of, line.index + 1);
      if (this.waiting.length < MOST_WAITING) this.waiting.push(line);
      else this.dropped += 1;
    }
  }

  take(): string {
    const lines = this.waiting;
    const { dropped } = this;
    this.waiting = [];
    this.dropped = 0;
    if (this.sent.size > MOST_WAITING) this.sent.clear();
    if (this.hasEnded && lines.length === 0) throw new Error('the pool of functions has gone');
    const text = lines.map(({ index, ...line }) => event('line', line)).join('');
    return dropped === 0 ? text : `${text}${event('gap', { lines: dropped })}`;
  }

  end(): void {
    this.stop();
  }
}
