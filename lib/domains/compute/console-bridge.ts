import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { ComputeEngine } from './engine';

/** Why a console's WebSocket was closed, in the range that applications may use (RFC 6455, 7.4.2). */
export const closed = {
  machineOff: 4000,
  accessEnded: 4001,
  elsewhere: 4002,
  tooSlow: 4003,
  machineStuck: 4004,
  tooMany: 4005,
} as const;

/** What a new terminal is shown of earlier output. */
const REMEMBERED_BYTES = 64 * 1024;
const REMEMBERED_LINES = 500;
/** A terminal that is so far behind is closed: pausing the serial port for it would hold up the guest. */
const BEHIND_BYTES = 768 * 1024;
/** A screen that is so far behind pauses the machine's side, which then sends fewer updates. */
const SCREEN_BYTES = 256 * 1024;
/** A machine that reads nothing for so long ends the connection. */
const STUCK_MS = 60_000;

/** Closes a connection, also one that is not being read at the moment: the answer to the close has to come through. */
export function endConsole(browser: WebSocket, code: number, reason: string): void {
  browser.resume();
  browser.close(code, reason);
}

/**
 * Carries what browsers send into a machine. While the machine does not read, the browsers are not read either, so that
 * the process holds one message of each and not what they send meanwhile.
 */
class Inlet {
  private readonly browsers = new Set<WebSocket>();
  private stuck: NodeJS.Timeout | undefined;

  constructor(private readonly socket: Duplex) {
    socket.on('drain', () => this.goOn());
    socket.on('close', () => clearTimeout(this.stuck));
  }

  join(browser: WebSocket): void {
    this.browsers.add(browser);
    browser.on('close', () => this.browsers.delete(browser));
    browser.on('message', (data) => {
      if (browser.readyState === WebSocket.OPEN && !this.socket.write(bytesOf(data))) this.hold();
    });
    if (!this.stuck) browser.resume();
  }

  private hold(): void {
    if (this.stuck) return;
    for (const browser of this.open()) browser.pause();
    this.stuck = setTimeout(() => this.giveUp(), STUCK_MS);
  }

  private goOn(): void {
    clearTimeout(this.stuck);
    this.stuck = undefined;
    for (const browser of this.open()) browser.resume();
  }

  private giveUp(): void {
    for (const browser of this.open()) {
      endConsole(browser, closed.machineStuck, 'The instance does not read its input.');
    }
    this.socket.destroy();
  }

  private open(): WebSocket[] {
    return [...this.browsers].filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

/** Carries the screen's protocol (RFB) between a browser and the machine, until one of them ends it. */
export async function bridgeScreen(compute: ComputeEngine, instanceId: string, browser: WebSocket): Promise<void> {
  const socket = await compute.openConsole(instanceId, 'vnc').catch(() => undefined);
  if (!socket) return endConsole(browser, closed.machineOff, 'The instance is stopped.');
  if (browser.readyState !== WebSocket.OPEN) return void socket.destroy();
  socket.on('data', (bytes) => {
    browser.send(bytes, () => browser.bufferedAmount < SCREEN_BYTES && socket.resume());
    if (browser.bufferedAmount >= SCREEN_BYTES) socket.pause();
  });
  for (const end of ['end', 'error']) socket.on(end, () => socket.destroy());
  socket.on('close', () => endConsole(browser, closed.machineOff, 'The instance closed the connection.'));
  browser.on('close', () => socket.destroy());
  new Inlet(socket).join(browser);
}

/** One connection to a serial port, which takes no second one, shared by all terminals that are open on it. */
class SerialPort {
  private readonly terminals = new Set<WebSocket>();
  private readonly inlet: Inlet;
  private remembered: Buffer;

  constructor(
    private readonly socket: Duplex,
    earlier: string,
    private readonly onEnd: () => void,
  ) {
    this.remembered = Buffer.from(earlier);
    this.inlet = new Inlet(socket);
    socket.on('data', (bytes) => this.show(bytes));
    socket.on('close', () => this.end());
    for (const end of ['end', 'error']) socket.on(end, () => socket.destroy());
  }

  join(terminal: WebSocket): void {
    if (terminal.readyState !== WebSocket.OPEN) {
      this.endIfUnused();
      return;
    }
    terminal.send(this.remembered);
    this.terminals.add(terminal);
    terminal.on('close', () => this.leave(terminal));
    this.inlet.join(terminal);
  }

  private leave(terminal: WebSocket): void {
    this.terminals.delete(terminal);
    this.endIfUnused();
  }

  private endIfUnused(): void {
    if (this.terminals.size === 0) this.socket.destroy();
  }

  private show(bytes: Buffer): void {
    this.remembered = Buffer.concat([this.remembered, bytes]).subarray(-REMEMBERED_BYTES);
    for (const terminal of this.terminals) {
      if (terminal.bufferedAmount + bytes.length <= BEHIND_BYTES) terminal.send(bytes);
      else {
        endConsole(terminal, closed.tooSlow, 'The connection is too slow.');
        this.leave(terminal);
      }
    }
  }

  private end(): void {
    this.onEnd();
    for (const terminal of this.terminals) endConsole(terminal, closed.machineOff, 'The instance is stopped.');
  }
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data);
}

const serialPorts = new Map<string, Promise<SerialPort | undefined>>();

/** Carries what is typed and shown between a terminal in a browser and the machine's serial port. */
export async function bridgeTerminal(compute: ComputeEngine, instanceId: string, browser: WebSocket): Promise<void> {
  let opening = serialPorts.get(instanceId);
  if (!opening) {
    opening = openSerialPort(compute, instanceId);
    serialPorts.set(instanceId, opening);
  }
  const port = await opening;
  if (port) port.join(browser);
  else endConsole(browser, closed.machineOff, 'The instance is stopped.');
}

async function openSerialPort(compute: ComputeEngine, instanceId: string): Promise<SerialPort | undefined> {
  const earlier = await compute.consoleLog(instanceId, REMEMBERED_LINES).catch(() => ({ output: '' }));
  const socket = await compute.openConsole(instanceId, 'serial').catch(() => undefined);
  if (!socket) {
    serialPorts.delete(instanceId);
    return undefined;
  }
  const text = earlier.output.slice(-REMEMBERED_BYTES).replaceAll(/\r?\n/g, '\r\n');
  return new SerialPort(socket, text, () => serialPorts.delete(instanceId));
}
