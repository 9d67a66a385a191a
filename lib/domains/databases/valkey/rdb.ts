import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';

const SILENT_MS = 120_000;
const HEAD = '$EOF:';
const MARK_BYTES = 40;
const MOST_HEAD_BYTES = 1_000;

/** Answers before the data: to AUTH, and two of REPLCONF. */
const ANSWERS = 3;

/** Takes lines off the front of what the server sends, and gives the rest as it comes. */
class Front {
  rest = Buffer.alloc(0);
  constructor(private readonly chunks: AsyncIterator<Buffer>) {}

  /** @throws Error when the server sends no end of a line */
  async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end >= 0) {
        const line = this.rest.toString('latin1', 0, end).replace(/\r$/, '');
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      if (this.rest.length > MOST_HEAD_BYTES) throw new Error('The member sends no data of its own.');
      if (!(await this.more())) throw new Error('The member ended the connection before it sent its data.');
    }
  }

  async more(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    if (!done) this.rest = Buffer.concat([this.rest, value]);
    return !done;
  }
}

/** What follows the mark's first naming, until the mark comes again. @throws Error when the stream ends without it */
async function* untilMark(front: Front, mark: Buffer): AsyncGenerator<Buffer> {
  for (;;) {
    const at = front.rest.indexOf(mark);
    if (at >= 0) {
      if (at > 0) yield front.rest.subarray(0, at);
      return;
    }
    // The mark may have begun.
    const certain = front.rest.length - MARK_BYTES + 1;
    if (certain > 0) {
      yield front.rest.subarray(0, certain);
      front.rest = front.rest.subarray(certain);
    }
    if (!(await front.more())) throw new Error('The member did not send all of its data.');
  }
}

/**
 * All keys that a stream of replication holds before its first command, as a file of Valkey's (RDB), which has a checksum.
 * @param begin asks for them, once the commands before are answered: the server refuses it before
 * @throws Error when it is cut, or for a refusal of the server's
 */
export async function* rdbOf(chunks: AsyncIterable<Buffer>, begin: () => void): AsyncGenerator<Buffer> {
  const front = new Front(chunks[Symbol.asyncIterator]());
  for (let answer = 0; answer < ANSWERS; answer += 1) {
    const line = await front.line();
    if (line !== '+OK') throw new Error(`The member refuses to send its data: ${line.slice(0, 100)}`);
  }
  begin();
  // While the server prepares the data, it sends empty lines.
  let head = '';
  while (head === '') head = await front.line();
  if (!head.startsWith(HEAD) || head.length !== HEAD.length + MARK_BYTES)
    throw new Error(`The member refuses to send its data: ${head.slice(0, 100)}`);
  yield* untilMark(front, Buffer.from(head.slice(HEAD.length), 'latin1'));
}

const command = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/**
 * Asks a server for all it has as of one moment, as a replica would that takes no writes after that. The server goes on serving.
 * @param path of its Unix socket
 */
export function askForRdb(path: string, user: string, password: string): { stream: Readable; socket: Socket } {
  const socket = connect(path);
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('The member does not send its data.')));
  socket.write(
    [command('AUTH', user, password), command('REPLCONF', 'capa', 'eof'), command('REPLCONF', 'rdb-only', '1')].join(
      '',
    ),
  );
  return {
    stream: Readable.from(
      rdbOf(socket, () => socket.write(command('SYNC'))),
      { objectMode: false },
    ),
    socket,
  };
}
