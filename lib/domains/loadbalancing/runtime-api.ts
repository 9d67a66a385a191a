import { createConnection } from 'node:net';

/** HAProxy answers at once. A process that is stopped or hangs accepts connections and says nothing. */
const ANSWER_MS = 500;

/**
 * Runs commands of HAProxy's runtime API.
 * @returns the answers; undefined when the process did not answer in time
 */
export function ask(socket: string, commands: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    let answer = '';
    let timer: NodeJS.Timeout | undefined;
    const end = (result: string | undefined) => {
      clearTimeout(timer);
      connection.destroy();
      resolve(result);
    };
    connection.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    connection.on('error', () => end(undefined));
    connection.on('end', () => end(answer));
    connection.on('connect', () => {
      // From when this process has asked, however busy it was before. What came meanwhile is read before the end.
      timer = setTimeout(() => setImmediate(() => end(undefined)), ANSWER_MS);
      connection.write(`${commands.join(';')}\n`);
    });
  });
}

/** A line of `show stat` by its columns. */
export type Stat = Readonly<Record<string, string>>;

/** Parses the CSV of `show stat`, whose header begins with `# `. */
export function parseStats(csv: string): Stat[] {
  const [header = '', ...lines] = csv.trim().split('\n');
  const columns = header.replace(/^# /, '').split(',');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const values = fieldsOf(line);
      return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']));
    });
}

/** Fields with commas stand in quotes, which few lines have. */
const fieldsOf = (line: string) => (line.includes('"') ? quotedFieldsOf(line) : line.split(','));

const quotedFieldsOf = (line: string) =>
  [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
