import * as z from 'zod/mini';

const line = z.object({
  at: z.string(),
  invocation_id: z.nullable(z.string()),
  stream: z.enum(['stdout', 'stderr', 'platform']),
  message: z.string(),
});
export type LiveLine = z.output<typeof line>;

/** Older lines leave the view: a busy function would fill the browser's memory. */
export const MOST_LINES = 5000;

/** The line of an event of the log stream; undefined if it has another form. */
export function lineOf(data: string): LiveLine | undefined {
  try {
    return line.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}

const keyOf = ({ at, invocation_id, stream, message }: LiveLine) =>
  JSON.stringify([at, invocation_id, stream, message]);

/**
 * Lines that a stream sends, without those that came before the connection was lost: a new stream begins with the newest lines
 * again.
 */
export class Unseen {
  private readonly seen = new Map<string, number>();

  constructor(known: readonly LiveLine[]) {
    for (const one of known) this.seen.set(keyOf(one), (this.seen.get(keyOf(one)) ?? 0) + 1);
  }

  /** Whether a line is new; a line that was written twice at one moment is new twice. */
  isNew(one: LiveLine): boolean {
    if (this.seen.size === 0) return true;
    const left = this.seen.get(keyOf(one)) ?? 0;
    if (left === 0) return true;
    this.seen.set(keyOf(one), left - 1);
    return false;
  }
}

const DIM = '\u001b[2m';
const PLAIN = '\u001b[0m';

/** "14:02:07.123 counting nephele"; lines of the platform are dim. */
function textOf({ at, stream, message }: LiveLine): string {
  const time = at.slice(11, 23);
  return stream === 'platform' ? `${DIM}${time} ${message}${PLAIN}` : `${time} ${message}`;
}

/** Lines as a log shows them. */
export const liveText = (lines: readonly LiveLine[]): string => lines.map(textOf).join('\n');
