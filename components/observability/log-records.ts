/** A line of a log with its labels. */
export interface LogRecord {
  /** Unique among the records shown. */
  key: string;
  /** Unix nanoseconds. */
  time: string;
  /** Unix milliseconds. */
  at: number;
  labels: Readonly<Record<string, string>>;
  line: string;
}

/** Streams as Loki’s API returns them. */
export interface LogStream {
  stream: Readonly<Record<string, string>>;
  /** Pairs of a time in nanoseconds and a line. */
  values: readonly (readonly string[])[];
}

/** The lines of all streams in one order of time. */
export function recordsOf(streams: readonly LogStream[], direction: 'forward' | 'backward'): LogRecord[] {
  const records = streams.flatMap(({ stream, values }) => {
    // Stages add labels; a line stays the same one.
    const source = JSON.stringify(sourceOf(stream));
    const seen = new Map<string, number>();
    return values.map(([time = '', line = '']): LogRecord => {
      // The same line may be written twice at one moment.
      const count = (seen.get(`${time} ${line}`) ?? 0) + 1;
      seen.set(`${time} ${line}`, count);
      const key = `${time} ${count} ${source} ${line}`;
      return { key, time, at: Math.floor(Number(time) / 1e6), labels: stream, line };
    });
  });
  const sign = direction === 'forward' ? 1 : -1;
  return records.toSorted((one, other) => sign * compareTimes(one.time, other.time));
}

function compareTimes(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

/** Records without those of `known`. */
export function without(records: readonly LogRecord[], known: readonly LogRecord[]): LogRecord[] {
  const keys = new Set(known.map(({ key }) => key));
  return records.filter(({ key }) => !keys.has(key));
}

export interface Field {
  name: string;
  value: string;
}

const pair = /(?:^|\s)([A-Za-z_][\w.]*)=("(?:\\.|[^"\\])*"|[^\s"]*)/g;

/** The fields inside a line, named as by the stages `json` and `logfmt`, and the stage that reads them. */
export function fieldsOf(line: string): { stage: 'json' | 'logfmt'; fields: readonly Field[] } | undefined {
  const object = line.startsWith('{') ? parsedObject(line) : undefined;
  if (object) return { stage: 'json', fields: flattened(object) };
  const fields = [...line.matchAll(pair)].map(([, name = '', value = '']) => ({
    name: name.replaceAll('.', '_'),
    value: value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value,
  }));
  // One "=" in a sentence is no logfmt.
  return fields.length < 2 ? undefined : { stage: 'logfmt', fields };
}

function parsedObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function flattened(object: object, prefix = ''): Field[] {
  return Object.entries(object).flatMap(([key, value]: [string, unknown]): Field[] => {
    const name = `${prefix}${key.replaceAll(/\W/g, '_')}`;
    if (value === null || Array.isArray(value)) return [];
    return typeof value === 'object' ? flattened(value, `${name}_`) : [{ name, value: String(value) }];
  });
}

export type Level = 'error' | 'warn' | 'info' | 'debug' | 'unknown';

const levels: readonly [RegExp, Level][] = [
  [/^(err|crit|fatal|emerg|alert|panic)/i, 'error'],
  [/^warn/i, 'warn'],
  [/^(info|notice)/i, 'info'],
  [/^(debug|trace)/i, 'debug'],
];

/** The level of a line by its label, whatever its source calls it. */
export function levelOf(label: string | undefined): Level {
  return levels.find(([pattern]) => pattern.test(label ?? ''))?.[1] ?? 'unknown';
}

/** Labels in the order in which people look for them; others follow by name. */
const order = ['service', 'resource_name', 'resource_id', 'level', 'stream'];

/** The labels of a line that people filter by. Of `project`, every line has the same. */
export function shownLabels(labels: LogRecord['labels']): Field[] {
  const place = (name: string) => (order.indexOf(name) + 1 || order.length + 1) as number;
  return Object.entries(labels)
    .filter(([name]) => name !== 'project')
    .map(([name, value]) => ({ name, value }))
    .toSorted((one, other) => place(one.name) - place(other.name) || one.name.localeCompare(other.name));
}

/** Selects everything from the source of a line, at any level. */
export function sourceOf(labels: LogRecord['labels']): { label: string; value: string }[] {
  // The resource of an audit entry is what it is about, not where it comes from.
  const names = labels.service === 'audit' ? ['service', 'stream'] : ['service', 'resource_id', 'stream'];
  return names.flatMap((label) => {
    const value = labels[label];
    return value === undefined ? [] : [{ label, value }];
  });
}
