import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { cookieOf, startConsoles, type TestConsole, ticketOf } from '@/lib/testing/consoles';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
const MB = 1024 * 1024;
const FLOOD = 48 * MB;
/** What the two ends' kernels hold of a connection, at most. */
const KERNEL = 16 * MB;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What a machine does with its next connection. */
let machine: (socket: Socket) => void;
let consoles: Awaited<ReturnType<typeof startConsoles>>;
let acme: TestProject;
let id: string;
let other: string;

beforeAll(async () => {
  consoles = await startConsoles((socket) => machine(socket));
});
afterAll(() => consoles.close());
beforeEach(async () => {
  useMemoryEngines().sockets = consoles.sockets;
  await createCell();
  acme = await createProject('acme');
  id = await running();
  other = await running();
});
afterEach(() => {
  vi.useRealTimers();
});

async function running(): Promise<string> {
  const instance = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = 'active', task = NULL WHERE id = ${instance}::uuid`);
  return instance;
}

async function connect(kind: 'vnc' | 'serial', instance = id, token = acme.users.member.token): Promise<TestConsole> {
  const answer = await call('GET', `/compute/instances/${instance}/console`, { token });
  const headers = { Origin: consoles.origin, Cookie: await cookieOf(instance, ticketOf(answer)) };
  return consoles.connect(instance, kind, headers);
}

const echo = (socket: Socket) => socket.on('data', (bytes) => socket.write(bytes));

/** A console whose machine sends back what it gets; it has done so once. */
async function echoing(): Promise<TestConsole> {
  machine = echo;
  const connected = await connect('vnc', other);
  await turn(connected);
  return connected;
}

async function turn({ socket }: TestConsole): Promise<void> {
  const answered = new Promise((resolve) => socket.once('message', resolve));
  socket.send('turn');
  await answered;
}

/** Bytes of buffers that are still referred to; freed ones may be counted for a moment longer. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Gives the server many turns: every one of them a message through it and back. */
async function manyTurns(through: TestConsole): Promise<void> {
  for (let i = 0; i < 100; i++) await turn(through);
}

/** Sends until all is sent, or until nothing is taken any more while the server has many turns. */
async function sendAll({ socket }: TestConsole, witness: TestConsole): Promise<number> {
  const frame = Buffer.alloc(32 * 1024, 'x');
  let sent = 0;
  while (sent < FLOOD) {
    let taken = false;
    socket.send(frame, () => {
      taken = true;
    });
    sent += frame.length;
    await nextTurn();
    if (!taken) await manyTurns(witness);
    if (!taken) return sent;
  }
  return sent;
}

describe.each(['serial', 'vnc'] as const)('the %s console of a machine that does not read', (kind) => {
  test('holds less than 1 MB of what is sent to it, and delivers all of it later', async () => {
    const witness = await echoing();
    let paused: Socket | undefined;
    machine = (socket) => {
      paused = socket.pause();
    };
    const sender = await connect(kind);
    const before = heldBytes();
    const sent = await sendAll(sender, witness);
    await expect.poll(() => heldBytes() - before).toBeLessThan(MB);
    expect(sent).toBeLessThan(KERNEL);

    let received = 0;
    paused?.on('data', (bytes) => {
      received += bytes.length;
    });
    paused?.resume();
    await expect.poll(() => received, { timeout: 30_000 }).toBe(sent);
    sender.socket.close();
    witness.socket.close();
  });

  test('ends after a minute with a reason', async () => {
    const witness = await echoing();
    machine = (socket) => socket.pause();
    const sender = await connect(kind);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    await sendAll(sender, witness);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(await sender.closed).toEqual({ code: 4004, reason: 'The instance does not read its input.' });
    witness.socket.close();
  });
});

/** Writes without end, as fast as it is taken, until `FLOOD` is written. */
function pour(socket: Socket): { written: () => number } {
  const chunk = Buffer.alloc(64 * 1024, 'y');
  let written = 0;
  const more = () => {
    while (written < FLOOD && !socket.destroyed) {
      written += chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', more);
  more();
  return { written: () => written };
}

describe('a browser that does not read', () => {
  test('loses its terminal with a reason, while others on the same machine read on', async () => {
    const witness = await echoing();
    let serial: Socket | undefined;
    machine = (socket) => {
      serial = socket;
    };
    const slow = await connect('serial');
    const reading = await connect('serial');
    let received = 0;
    reading.socket.removeAllListeners('message');
    reading.socket.on('message', (bytes: Buffer) => {
      received += bytes.length;
    });
    await vi.waitFor(() => expect(serial).toBeDefined(), 15_000);
    const before = heldBytes();
    slow.socket.pause();
    if (serial) pour(serial);
    await expect.poll(() => received, { timeout: 60_000 }).toBeGreaterThanOrEqual(FLOOD);
    await manyTurns(witness);
    await expect.poll(() => heldBytes() - before).toBeLessThan(MB);
    slow.socket.removeAllListeners('message');
    slow.socket.resume();
    expect(await slow.closed).toEqual({ code: 4003, reason: 'The connection is too slow.' });
    reading.socket.close();
    witness.socket.close();
  });

  test('holds up the screen, of which less than 1 MB is held, and gets all of it later', async () => {
    const witness = await echoing();
    let poured: ReturnType<typeof pour> | undefined;
    let received = 0;
    machine = (socket) =>
      socket.once('data', () => {
        poured = pour(socket);
      });
    const slow = await connect('vnc');
    slow.socket.removeAllListeners('message');
    slow.socket.on('message', (bytes: Buffer) => {
      received += bytes.length;
    });
    const before = heldBytes();
    slow.socket.send('begin');
    slow.socket.pause();
    await vi.waitFor(() => expect(poured).toBeDefined(), 15_000);
    await manyTurns(witness);
    await expect.poll(() => heldBytes() - before).toBeLessThan(MB);
    expect(poured?.written()).toBeLessThan(KERNEL);
    slow.socket.resume();
    await expect.poll(() => received, { timeout: 60_000 }).toBe(FLOOD);
    slow.socket.close();
    witness.socket.close();
  });

  test('and answers no ping for a minute gives its place back', async () => {
    machine = (socket) => socket.resume();
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    const gone = await connect('vnc');
    const here = await connect('vnc', other);
    gone.socket.pause();
    for (let s = 0; s < 90; s += 15) {
      const pinged = new Promise((resolve) => here.socket.once('ping', resolve));
      await vi.advanceTimersByTimeAsync(15_000);
      await pinged;
      // The answer to the ping arrives before the next one goes out.
      for (let i = 0; i < 10; i++) await nextTurn();
    }
    gone.socket.resume();
    expect((await gone.closed).code).toBe(1006);
    expect(here.socket.readyState).toBe(here.socket.OPEN);
    here.socket.close();
  });
});

describe.each([
  ['serial', 'terminals'],
  ['vnc', 'screens'],
] as const)('open %s connections', (kind, name) => {
  beforeEach(() => {
    machine = (socket) => socket.resume();
  });

  test('are limited per instance, and a closed one makes room', async () => {
    const { consolesPerInstance } = settings();
    const connections = await Promise.all(Array.from({ length: consolesPerInstance }, () => connect(kind)));
    const refused = await connect(kind, id, acme.users.admin.token);
    const reason = `This instance has ${consolesPerInstance} ${name} open. Close one first.`;
    expect(await refused.closed).toEqual({ code: 4005, reason });
    connections[0]?.socket.close();
    await connections[0]?.closed;
    const next = await connect(kind, id, acme.users.admin.token);
    expect(next.socket.readyState).toBe(next.socket.OPEN);
    for (const { socket } of [...connections, next]) socket.close();
  });

  test('are limited per caller, over all instances, and each caller counts alone', async () => {
    const { consolesPerCaller, consolesPerInstance } = settings();
    const instances = [id, other];
    const wanted = Array.from({ length: consolesPerCaller }, (_, i) => instances[Math.floor(i / consolesPerInstance)]);
    const connections = await Promise.all(wanted.map((instance) => connect(kind, instance)));
    const third = await running();
    const refused = await connect(kind, third);
    const reason = `You have ${consolesPerCaller} ${name} open. Close one first.`;
    expect(await refused.closed).toEqual({ code: 4005, reason });
    const theirs = await connect(kind, third, acme.users.admin.token);
    expect(theirs.socket.readyState).toBe(theirs.socket.OPEN);
    for (const { socket } of [...connections, theirs]) socket.close();
  });
});
