import { connect, type Socket } from 'node:net';
import { ApiError } from '@/lib/core/api/errors';
import { engineOf } from '@/lib/engines/engines';
import { FrameReader, sendFrame } from '@/lib/frames';
import type { LiveLine } from './lines';
import type { PoolAnswer, PoolCall } from './pool';
import { FRAME_BYTES, type PoolMessage, poolMessage } from './protocol';

type Asked = { answer(message: PoolMessage): void; lost(): void };

const away = () =>
  new ApiError(
    'ENGINE_UNAVAILABLE',
    'The host of this function does not run functions at present. Check that its worker runs.',
  );

/** A connection to the pool of a cell, shared by all calls of this process; made when it is needed. */
export class PoolClient {
  private socket: Promise<Socket> | undefined;
  private readonly asked = new Map<number, Asked>();
  private last = 0;

  constructor(private readonly path: () => string) {}

  /** @throws ApiError as the pool refuses, 503 where there is none */
  async invoke(call: PoolCall): Promise<PoolAnswer> {
    const { answer } = await this.ask({ kind: 'invoke', call });
    if (!answer) throw away();
    return { ...answer, result: answer.result ?? null };
  }

  /** Resolves when the history has all that callers were told. @throws ApiError 503 where there is no pool */
  async written(): Promise<void> {
    await this.ask({ kind: 'write' });
  }

  private async ask(question: { kind: 'invoke'; call: PoolCall } | { kind: 'write' }): Promise<PoolMessage> {
    const socket = await this.connected();
    const number = this.next();
    const message = await new Promise<PoolMessage>((resolve, reject) => {
      this.asked.set(number, { answer: resolve, lost: () => reject(away()) });
      sendFrame(socket, { ...question, number });
    }).finally(() => this.asked.delete(number));
    if (message.refusal) throw new ApiError(message.refusal.code, message.refusal.message);
    return message;
  }

  /**
   * Hears the lines of a function from now on.
   * @param lost called when the connection ends
   * @returns how to stop
   */
  async follow(functionId: string, hear: (lines: readonly LiveLine[]) => void, lost: () => void): Promise<() => void> {
    const socket = await this.connected();
    const number = this.next();
    await new Promise<void>((resolve, reject) => {
      let hasBegun = false;
      this.asked.set(number, {
        answer: ({ lines }) => {
          hasBegun = true;
          resolve();
          if (lines && lines.length > 0) hear(lines);
        },
        lost: () => (hasBegun ? lost() : reject(away())),
      });
      sendFrame(socket, { kind: 'follow', number, function_id: functionId });
    });
    return () => {
      this.asked.delete(number);
      sendFrame(socket, { kind: 'unfollow', number });
    };
  }

  private next(): number {
    this.last += 1;
    return this.last;
  }

  private connected(): Promise<Socket> {
    this.socket ??= this.connect();
    return this.socket;
  }

  private connect(): Promise<Socket> {
    const socket = connect(this.path());
    const reader = new FrameReader(FRAME_BYTES);
    socket.on('data', (piece: Buffer) => {
      try {
        for (const message of reader.read(piece)) {
          const parsed = poolMessage.parse(message);
          this.asked.get(parsed.number)?.answer(parsed);
        }
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined);
      }
    });
    socket.on('close', () => {
      this.socket = undefined;
      for (const [number, { lost }] of [...this.asked]) {
        this.asked.delete(number);
        lost();
      }
    });
    // A process that only has this connection left may end.
    socket.unref();
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket));
      socket.once('error', () => {
        this.socket = undefined;
        reject(away());
      });
    });
  }
}

const clients = new Map<string, PoolClient>();

/** The pool of a cell, from any process on its host. @throws EngineError on another host */
export function poolOf(cell: string): PoolClient {
  const present = clients.get(cell);
  if (present) return present;
  const client = new PoolClient(() => engineOf(cell).functions.poolSocket());
  clients.set(cell, client);
  return client;
}
