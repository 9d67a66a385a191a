import { styleText } from 'node:util';
import { z } from 'zod';
import { settings } from '@/lib/settings';

const entry = z.looseObject({
  level: z.number(),
  time: z.string(),
  process: z.string(),
  msg: z.string().default(''),
  err: z.object({ message: z.string(), stack: z.string().optional() }).loose().optional(),
  ms: z.number().optional(),
});

/** Already in the message, or only useful to programs. */
const omitted = new Set([
  'level',
  'time',
  'process',
  'msg',
  'err',
  'ms',
  'request_id',
  'endpoint',
  'status',
  'address',
]);

/** Formats a log line for a terminal: short, with colour for problems. */
export function terminalLine(line: string): string {
  const parsed = entry.safeParse(parseJson(line));
  if (!parsed.success) return line;
  const { level, time, process, msg, err, ms, ...rest } = parsed.data;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const fields = Object.entries(rest)
    .filter(([name, value]) => !omitted.has(name) && value !== null && typeof value !== 'object')
    .map(([name, value]) => `${name}=${value}`);
  const text = [msg, ms === undefined ? '' : `${ms} ms`, ...fields].filter((part) => part !== '').join('  ');
  const head = styleText('dim', `${clock} ${process.padEnd(8)}`);
  const body = level >= 50 ? styleText('red', text) : level >= 40 ? styleText('yellow', text) : text;
  return [`${head} ${body}`, ...(err ? [styleText('dim', err.stack ?? err.message)] : [])].join('\n');
}

/** Prints a message of the supervisor. */
export function report(message: string): void {
  show({ level: 40, process: 'supervisor', msg: message });
}

/** Prints a line of PostgreSQL, except ordinary ones (LOG), which matter to nobody while it works. */
export function showDatabaseLine(line: string): void {
  const usual = /^(LOG|NOTICE|HINT|DETAIL|CONTEXT|STATEMENT):/.test(line);
  if (!usual || settings().logLevel === 'debug') show({ level: usual ? 20 : 40, process: 'database', msg: line });
}

function show(fields: { level: number; process: string; msg: string }): void {
  const line = JSON.stringify({ ...fields, time: new Date().toISOString() });
  console.log(process.stdout.isTTY ? terminalLine(line) : line);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
