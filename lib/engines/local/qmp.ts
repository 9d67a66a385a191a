import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { EngineError } from '../error';
import { parseJson } from './record';
import { Turns, waitFor } from './turns';

const message = z.union([
  z.object({ QMP: z.unknown() }),
  z.object({ return: z.unknown() }),
  z.object({ error: z.object({ class: z.string(), desc: z.string() }) }),
  z.object({ event: z.string(), data: z.record(z.string(), z.unknown()).optional() }),
]);
type Event = { event: string; data?: Record<string, unknown> };

/** QEMU's monitor takes one client at a time, so conversations with the same guest queue up. */
const conversations = new Turns();

/** Opens the monitor of a guest, has one conversation with it and hangs up. */
export function withMonitor<T>(socketPath: string, talk: (monitor: Monitor) => Promise<T>): Promise<T> {
  return conversations.take(socketPath, async () => {
    const monitor = await Monitor.open(socketPath);
    try {
      return await talk(monitor);
    } finally {
      monitor.close();
    }
  });
}

/** The machine hangs, or has just ended. */
const unresponsive = (detail: string) =>
  new EngineError('ENGINE_ERROR', 'The machine does not respond. If this lasts, restart the instance.', { detail });

/** One connection to QEMU's machine protocol. */
export class Monitor {
  private readonly events: Event[] = [];
  private waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | null = null;

  private constructor(private readonly socket: Socket) {
    // An error of the socket comes out of the line reader too; either way `close` follows and says so.
    createInterface({ input: socket })
      .on('line', (line) => this.receive(line))
      .on('error', () => {});
    socket.on('error', () => {});
    socket.on('close', () => this.waiting?.reject(unresponsive('QEMU closed the connection.')));
  }

  /** @throws EngineError when nobody listens or QEMU does not greet within five seconds */
  static async open(path: string): Promise<Monitor> {
    const socket = createConnection(path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error) => reject(unresponsive(`QEMU is not listening: ${error.message}`)));
    });
    const monitor = new Monitor(socket);
    try {
      await monitor.answer('greeting', 5_000);
      await monitor.execute('qmp_capabilities', {}, 5_000);
    } catch (error) {
      monitor.close();
      throw error;
    }
    return monitor;
  }

  /** @throws EngineError with QEMU's own words */
  async execute(command: string, args: Record<string, unknown> = {}, timeoutMs = 30_000): Promise<unknown> {
    if (this.socket.destroyed) throw unresponsive('QEMU closed the connection.');
    const answer = this.answer(command, timeoutMs);
    this.socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    return answer;
  }

  /** Whether an event came since the connection was opened, waiting for it. */
  async sawEvent(name: string, matches: (data: Record<string, unknown>) => boolean, timeoutMs: number) {
    const seen = async () => this.events.some(({ event, data }) => event === name && matches(data ?? {}));
    return (await waitFor(seen, { timeoutMs, everyMs: 20 })) ?? false;
  }

  close(): void {
    this.socket.destroy();
  }

  private answer(what: string, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.waiting?.reject(unresponsive(`QEMU did not respond to ${what}.`)), timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        this.waiting = null;
      };
      this.waiting = {
        resolve: (value) => {
          settle();
          resolve(value);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
    });
  }

  private receive(line: string): void {
    const parsed = message.safeParse(parseJson(line));
    if (!parsed.success) return;
    const { data } = parsed;
    if ('event' in data) this.events.push(data);
    else if ('error' in data) this.waiting?.reject(new EngineError('ENGINE_ERROR', `QEMU: ${data.error.desc}`));
    else if ('return' in data) this.waiting?.resolve(data.return);
    else this.waiting?.resolve(data.QMP);
  }
}

const status = z.object({ status: z.string() });

/** QEMU's run state: `running`, `paused`, `shutdown` (the guest switched itself off), `io-error`, … */
export async function runState(monitor: Monitor): Promise<string> {
  return status.parse(await monitor.execute('query-status', {}, 5_000)).status;
}
