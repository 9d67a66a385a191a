import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { cookieOf, startConsoles, ticketOf } from '@/lib/testing/consoles';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { answerTicket, consoleAccess, exchangeTicket } from './console';

testDatabase();
const call = api();
let acme: TestProject;
let id: string;
let engines: MemoryEngines;
let consoles: Awaited<ReturnType<typeof startConsoles>>;

beforeAll(async () => {
  // What a machine does with what it is sent: it shouts it back.
  consoles = await startConsoles((socket) =>
    socket.on('data', (bytes) => socket.write(bytes.toString().toUpperCase())),
  );
});
afterAll(() => consoles.close());
beforeEach(async () => {
  engines = useMemoryEngines();
  engines.sockets = consoles.sockets;
  await createCell();
  acme = await createProject('acme');
  id = idOf(await launch(call, acme));
  await setStatus('active');
});

const setStatus = (status: string) =>
  execute(sql`UPDATE instances SET status = ${status}::text, task = NULL WHERE id = ${id}::uuid`);
const open = (token = acme.users.member.token) => call('GET', `/compute/instances/${id}/console`, { token });

const ticket = async () => ticketOf(await open());
const cookie = async () => cookieOf(id, await ticket());
const origin = () => consoles.origin;
const connect = (kind: 'vnc' | 'serial', headers: Record<string, string>, protocols?: string[]) =>
  consoles.connect(id, kind, headers, protocols);

describe('a ticket', () => {
  test('opens its console once, for a cookie that scripts cannot read and no other path gets', async () => {
    const answer = await open();
    expect(answer.body).toMatchObject({ type: 'vnc', url: expect.stringContaining(`/console/${id}/open?ticket=`) });
    const url = new URL((answer.body as { url: string }).url);
    const response = await answerTicket(id, url.searchParams);
    expect([response.status, response.headers.get('location')]).toEqual([303, `/console/${id}`]);
    const set = response.headers.get('set-cookie') ?? '';
    expect(set).toMatch(
      new RegExp(`^nephele_console=[\\w-]{43}; Path=/console/${id}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`),
    );
    expect(await consoleAccess(id, set.split(';')[0] ?? '')).toMatchObject({ instance_id: id, name: 'web' });
    const again = await answerTicket(id, url.searchParams);
    expect([again.status, again.headers.get('set-cookie')]).toEqual([303, null]);
  });

  test('used twice at the same time works for one', async () => {
    const given = await ticket();
    const cookies = await Promise.all(Array.from({ length: 5 }, () => exchangeTicket(id, given)));
    expect(cookies.filter((value) => value !== undefined)).toHaveLength(1);
  });

  test('does not open after a minute, nor another instance, nor when it is made up', async () => {
    const late = await ticket();
    await execute(sql`UPDATE console_sessions SET ticket_expires_at = platform_now()`);
    expect(await exchangeTicket(id, late)).toBeUndefined();
    const other = idOf(await launch(call, acme));
    expect(await exchangeTicket(other, await ticket())).toBeUndefined();
    expect(await exchangeTicket(id, 'made-up')).toBeUndefined();
    expect(await exchangeTicket("'; --", 'made-up')).toBeUndefined();
  });

  test('is not for readers, nor for a machine that is off, and each is on record', async () => {
    expect((await open(acme.users.reader.token)).status).toBe(403);
    await setStatus('stopped');
    expect((await open()).text).toContain('is stopped; the console is available when it is active');
    await setStatus('active');
    await ticket();
    expect(
      await prisma().auditEntry.count({
        where: { resource_id: id, action: 'instance.open_console', result: 'succeeded' },
      }),
    ).toBe(1);
  });

  test('and cookie are nowhere in the database as they are', async () => {
    const given = await ticket();
    const [, secret = ''] = ((await exchangeTicket(id, given)) ?? '').split(/[=;]/);
    const rows =
      JSON.stringify(await prisma().consoleSession.findMany()) + JSON.stringify(await prisma().auditEntry.findMany());
    expect([rows.includes(given), rows.includes(secret)]).toEqual([false, false]);
  });
});

describe('a WebSocket', () => {
  test('carries the screen both ways', async () => {
    const { socket, refused, seen } = await connect('vnc', { Cookie: await cookie(), Origin: origin() }, ['binary']);
    expect([refused, socket.protocol]).toEqual([undefined, 'binary']);
    socket.send(Buffer.from('rfb 003.008'));
    await expect.poll(seen).toBe('RFB 003.008');
    socket.close();
  });

  test('shares one serial port among terminals; who comes later sees what was before', async () => {
    const headers = { Cookie: await cookie(), Origin: origin() };
    const first = await connect('serial', headers);
    await expect.poll(first.seen).toContain('line 3');
    first.socket.send('uname');
    await expect.poll(first.seen).toContain('UNAME');
    const second = await connect('serial', headers);
    await expect.poll(second.seen).toContain('UNAME');
    second.socket.send('ls');
    await expect.poll(first.seen).toContain('LS');
    first.socket.close();
    second.socket.send('pwd');
    await expect.poll(second.seen).toContain('PWD');
    second.socket.close();
    await second.closed;
    const third = await connect('serial', headers);
    third.socket.send('id');
    await expect.poll(third.seen).toContain('ID');
    third.socket.close();
  });

  test.each([
    ['without a cookie', async () => ({ Origin: origin() })],
    ['with a cookie that is made up', async () => ({ Origin: origin(), Cookie: 'nephele_console=made-up' })],
    ['from another origin', async () => ({ Origin: 'https://evil.example', Cookie: await cookie() })],
    ['from no origin', async () => ({ Cookie: await cookie() })],
  ])('is refused %s', async (_, headers) => {
    expect((await connect('vnc', await headers())).refused).toBe(403);
  });

  test('is refused with the cookie of another instance', async () => {
    const mine = await cookie();
    id = idOf(await launch(call, acme));
    await setStatus('active');
    expect((await connect('vnc', { Origin: origin(), Cookie: mine })).refused).toBe(403);
  });

  test('is refused to who has lost the role or left, and when the time is over', async () => {
    const { id: user_id } = acme.users.member;
    const headers = { Origin: origin(), Cookie: await cookie() };
    await execute(sql`UPDATE role_assignments SET role = 'reader' WHERE user_id = ${user_id}::uuid`);
    expect((await connect('vnc', headers)).refused).toBe(403);
    await execute(sql`UPDATE role_assignments SET role = 'member' WHERE user_id = ${user_id}::uuid`);
    await execute(sql`UPDATE console_sessions SET expires_at = platform_now()`);
    expect((await connect('vnc', headers)).refused).toBe(403);
    await execute(sql`UPDATE console_sessions SET expires_at = platform_now() + interval '1 hour'`);
    const still = await connect('vnc', headers);
    expect(still.refused).toBeUndefined();
    still.socket.close();
    await prisma().membership.delete({ where: { project_id_user_id: { project_id: acme.id, user_id } } });
    expect((await connect('vnc', headers)).refused).toBe(403);
  });

  test.each(['vnc', 'serial'] as const)('of %s closes with a reason when the machine is off', async (kind) => {
    engines.sockets = undefined;
    const { refused, closed } = await connect(kind, { Origin: origin(), Cookie: await cookie() });
    expect([refused, (await closed).code]).toEqual([undefined, 4000]);
  });

  test('closes with a reason where the instance lives on another host', async () => {
    const headers = { Origin: origin(), Cookie: await cookie() };
    await createCell('elsewhere', { memory_mb: 0 });
    await execute(sql`UPDATE instances SET cell_id = 'elsewhere' WHERE id = ${id}::uuid`);
    expect(await (await connect('vnc', headers)).closed).toMatchObject({ code: 4002 });
  });
});

test('the boot log gives the last lines, and says whether there are more', async () => {
  const { token } = acme.users.reader;
  const log = (lines: number) => call('GET', `/compute/instances/${id}/console-log?lines=${lines}`, { token });
  expect((await log(2)).body).toEqual({ output: `${id} line 2\n${id} line 3`, truncated: true });
  expect((await log(10)).body).toMatchObject({ truncated: false });
  expect((await log(0)).status).toBe(400);
});
