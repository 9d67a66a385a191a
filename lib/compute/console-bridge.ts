import { createConnection, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream, WebSocket } from 'ws';
import { engines } from '@/lib/engines/engines';

/** Why a console's WebSocket was closed, in the range that applications may use (RFC 6455, 7.4.2). */
export const closed = { machineOff: 4000, accessEnded: 4001, elsewhere: 4002, tooSlow: 4003 } as const;

/** What a new terminal is shown of what was written before it came. */
const REMEMBERED_BYTES = 64 * 1024;
const REMEMBERED_LINES = 500;
/** A browser that is so far behind has gone away. */
const BEHIND_BYTES = 4 * 1024 * 1024;

/** Carries the screen's protocol (RFB) between a browser and the machine, until one of them ends it. */
export async function bridgeScreen(instanceId: string, browser: WebSocket): Promise<void> {
  const socket = await connect(instanceId, 'vnc');
  if (!socket) return browser.close(closed.machineOff, 'The instance is stopped.');
  const stream = createWebSocketStream(browser);
  await pipeline(stream, socket, stream).catch(() => socket.destroy());
  browser.close(closed.machineOff, 'The instance closed the connection.');
}

/** One connection to a serial port, which takes no second one, shared by all terminals that are open on it. */
class SerialPort {
  private readonly terminals = new Set<WebSocket>();
  private remembered: Buffer;

  constructor(
    private readonly socket: Socket,
    earlier: string,
    private readonly onEnd: () => void,
  ) {
    this.remembered = Buffer.from(earlier);
    socket.on('data', (bytes) => this.show(bytes));
    socket.on('close', () => this.end());
    socket.on('error', () => socket.destroy());
  }

  join(terminal: WebSocket): void {
    if (terminal.readyState !== WebSocket.OPEN) {
      this.endIfUnused();
      return;
    }
    terminal.send(this.remembered);
    this.terminals.add(terminal);
    terminal.on('message', (data) => this.socket.write(bytesOf(data)));
    terminal.on('close', () => {
      this.terminals.delete(terminal);
      this.endIfUnused();
    });
  }

  private endIfUnused(): void {
    if (this.terminals.size === 0) this.socket.destroy();
  }

  private show(bytes: Buffer): void {
    this.remembered = Buffer.concat([this.remembered, bytes]).subarray(-REMEMBERED_BYTES);
    for (const terminal of this.terminals) {
      if (terminal.bufferedAmount > BEHIND_BYTES) terminal.close(closed.tooSlow, 'The connection is too slow.');
      else terminal.send(bytes);
    }
  }

  private end(): void {
    this.onEnd();
    for (const terminal of this.terminals) terminal.close(closed.machineOff, 'The instance is stopped.');
  }
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data);
}

const serialPorts = new Map<string, Promise<SerialPort | undefined>>();

/** Carries what is typed and shown between a terminal in a browser and the machine's serial port. */
export async function bridgeTerminal(instanceId: string, browser: WebSocket): Promise<void> {
  let opening = serialPorts.get(instanceId);
  if (!opening) {
    opening = openSerialPort(instanceId);
    serialPorts.set(instanceId, opening);
  }
  const port = await opening;
  if (port) port.join(browser);
  else browser.close(closed.machineOff, 'The instance is stopped.');
}

async function openSerialPort(instanceId: string): Promise<SerialPort | undefined> {
  const earlier = await engines()
    .compute.consoleLog(instanceId, REMEMBERED_LINES)
    .catch(() => ({ output: '' }));
  const socket = await connect(instanceId, 'serial');
  if (!socket) {
    serialPorts.delete(instanceId);
    return undefined;
  }
  const text = earlier.output.slice(-REMEMBERED_BYTES).replaceAll(/\r?\n/g, '\r\n');
  return new SerialPort(socket, text, () => serialPorts.delete(instanceId));
}

async function connect(instanceId: string, kind: 'vnc' | 'serial'): Promise<Socket | undefined> {
  const sockets = await engines()
    .compute.consoleSockets(instanceId)
    .catch(() => undefined);
  if (!sockets) return undefined;
  return new Promise((resolve) => {
    const socket = createConnection(sockets[kind]);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
