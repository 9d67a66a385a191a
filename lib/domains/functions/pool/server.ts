import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { FrameReader, sendFrame } from '@/lib/frames';
import { log } from '@/lib/log';
import type { LiveLine } from './lines';
import type { FunctionPool } from './pool';
import { FRAME_BYTES, type PoolRequest, poolRequest } from './protocol';
import { refusalOf } from './refusal';

/** Lines reach those who follow this soon, several at a time. */
const GATHER_MS = 30;
/** Unsent bytes of a follower who reads too slowly; lines beyond are left out. */
const MOST_UNSENT = 4 * 1024 ** 2;

/** Serves the pool to the platform's other processes on this host: the socket's folder is for them alone. */
export class PoolServer {
  private readonly server: Server;
  private readonly connections = new Set<Socket>();

  constructor(
    private readonly path: string,
    private readonly pool: FunctionPool,
  ) {
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o711 });
    await rm(this.path, { force: true });
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(this.path, resolve));
    await chmod(this.path, 0o600);
    this.server.on('error', (error) => log.warn({ err: error }, 'the pool of functions could not be served'));
  }

  async close(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(socket: Socket): void {
    this.connections.add(socket);
    const following = new Map<number, () => void>();
    const reader = new FrameReader(FRAME_BYTES);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.connections.delete(socket);
      for (const stop of following.values()) stop();
    });
    socket.on('data', (piece: Buffer) => {
      try {
        for (const message of reader.read(piece)) this.take(socket, following, poolRequest.parse(message));
      } catch (error) {
        log.warn({ err: error }, 'a process sent the pool of functions something wrong');
        socket.destroy();
      }
    });
  }

  private take(socket: Socket, following: Map<number, () => void>, request: PoolRequest): void {
    const { number } = request;
    if (request.kind === 'invoke') {
      this.pool.invoke(request.call).then(
        (answer) => sendFrame(socket, { number, answer }),
        (error) => sendFrame(socket, { number, refusal: refusalOf(error) }),
      );
    } else if (request.kind === 'write') {
      this.pool.ledger.written().then(
        () => sendFrame(socket, { number }),
        (error) => sendFrame(socket, { number, refusal: refusalOf(error) }),
      );
    } else if (request.kind === 'follow') {
      following.set(number, this.follow(socket, number, request.function_id));
    } else {
      following.get(number)?.();
      following.delete(number);
    }
  }

  private follow(socket: Socket, number: number, functionId: string): () => void {
    let gathered: LiveLine[] = [];
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      timer = undefined;
      const lines = gathered;
      gathered = [];
      if (socket.writableLength < MOST_UNSENT) sendFrame(socket, { number, lines });
    };
    const stop = this.pool.follow(functionId, (line) => {
      gathered.push(line);
      timer ??= setTimeout(send, GATHER_MS);
    });
    // The first answer says that nothing is missed from now on.
    send();
    return () => {
      clearTimeout(timer);
      stop();
    };
  }
}
