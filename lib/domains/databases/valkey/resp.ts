import { createConnection, type Socket } from 'node:net';

export type Reply = string | number | null | Reply[];

/** A refusal of the server's, as it said it. */
export class ReplyError extends Error {}

type Waiting = { resolve(reply: Reply): void; reject(error: Error): void };

/** A connection that speaks Valkey's protocol (RESP 2), one answer for each command in order. */
export class RespConnection {
  readonly #socket: Socket;
  #rest = Buffer.alloc(0);
  #waiting: Waiting[] = [];
  #ended: Error | undefined;

  constructor(socket: Socket | string) {
    this.#socket = typeof socket === 'string' ? createConnection(socket) : socket;
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(new Error('the connection was closed')));
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** @throws ReplyError for the server's refusal; any other error is the connection's */
  send(...words: (string | number)[]): Promise<Reply> {
    if (this.#ended) return Promise.reject(this.#ended);
    const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`*${words.length}\r\n${parts.join('')}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const parsed = parse(this.#rest, 0);
      if (!parsed) return;
      this.#rest = this.#rest.subarray(parsed.next);
      const first = this.#waiting.shift();
      if (parsed.value instanceof ReplyError) first?.reject(parsed.value);
      else first?.resolve(parsed.value);
    }
  }
}

type Parsed = { value: Reply | ReplyError; next: number };

/** Undefined while the answer is not complete. */
function parse(data: Buffer, at: number): Parsed | undefined {
  const end = data.indexOf('\r\n', at);
  if (end < 0) return undefined;
  const [kind, text, next] = [data.toString('utf8', at, at + 1), data.toString('utf8', at + 1, end), end + 2];
  if (kind === '-') return { value: new ReplyError(text), next };
  if (kind === ':') return { value: Number(text), next };
  if (kind === '+') return { value: text, next };
  const size = Number(text);
  if (size < 0) return { value: null, next };
  if (kind === '$') {
    if (data.length < next + size + 2) return undefined;
    return { value: data.toString('utf8', next, next + size), next: next + size + 2 };
  }
  const items: Reply[] = [];
  let from = next;
  for (let index = 0; index < size; index += 1) {
    const item = parse(data, from);
    if (!item) return undefined;
    items.push(item.value instanceof ReplyError ? item.value.message : item.value);
    from = item.next;
  }
  return { value: items, next: from };
}
