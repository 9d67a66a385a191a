import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { signToken } from '@/lib/people/identity/session-token';
import { setTestClock } from '@/lib/testing/clock';
import { cookieOf, startConsoles, ticketOf } from '@/lib/testing/consoles';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { givePassword, PASSWORD } from '@/lib/testing/sign-in';
import { api, createMember, createProject, signIn, type TestProject, type TestUser } from '@/lib/testing/world';
import { exchangeTicket } from './console';

testDatabase();
const call = api();
const MINUTE_MS = 60_000;
let consoles: Awaited<ReturnType<typeof startConsoles>>;
let acme: TestProject;
let ada: TestUser;
let id: string;

beforeAll(async () => {
  consoles = await startConsoles((socket) => socket.resume());
});
afterAll(() => consoles.close());
beforeEach(async () => {
  useMemoryEngines().sockets = consoles.sockets;
  await createCell();
  acme = await createProject('acme');
  ada = await createMember(acme.id, 'member');
  id = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = 'active', task = NULL WHERE id = ${id}::uuid`);
});
afterEach(async () => {
  vi.useRealTimers();
  await setTestClock(0);
});

const open = (token: string) => call('GET', `/compute/instances/${id}/console`, { token });
const send = async (token: string, method: string, path: string, body?: object) => {
  const { status, text } = await call(method, path, { token, body });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
};
const inMinutes = (minutes: number) => new Date(now().getTime() + minutes * MINUTE_MS);

async function apiToken(expires_at?: Date): Promise<{ id: string; token: string }> {
  const body = { name: 'ci', role: 'member', expires_at: expires_at?.toISOString() };
  const made = await call('POST', '/auth/tokens', { token: ada.token, body });
  return made.body as { id: string; token: string };
}

async function workload(expires = inMinutes(15)): Promise<{ provider_id: string; token: string }> {
  const provider_id = newId();
  const row = { name: 'ci', issuer: 'https://ci.test', audience: 'x', conditions: {}, max_role: 'member' };
  await prisma().identityProvider.create({
    data: { ...row, id: provider_id, project_id: acme.id, created_at: now(), updated_at: now() },
  });
  const token = await signToken('workload', { sub: 'job', provider_id, role: 'member' }, now(), expires);
  return { provider_id, token };
}

type Case = { token: string; end: () => Promise<unknown> };
const later = (minutes: number) => () => setTestClock(minutes * MINUTE_MS);
const demote = () => execute(sql`UPDATE role_assignments SET role = 'reader' WHERE user_id = ${ada.id}::uuid`);

const cases: [what: string, begin: () => Promise<Case> | Case][] = [
  ['its session signs out', () => ({ token: ada.token, end: () => send(ada.token, 'POST', '/auth/logout', {}) })],
  [
    'its session is ended from another one',
    async () => {
      const end = async () => {
        const other = await signIn(ada.id);
        const sessions = (await call('GET', '/auth/sessions', { token: other })).body as {
          id: string;
          current: boolean;
        }[];
        const mine = sessions.find(({ current }) => !current);
        await send(other, 'DELETE', `/auth/sessions/${mine?.id}`);
      };
      return { token: ada.token, end };
    },
  ],
  [
    'its person signs out everywhere',
    async () => {
      const other = await signIn(ada.id);
      return { token: ada.token, end: () => send(other, 'POST', '/auth/sessions/revoke-all', {}) };
    },
  ],
  [
    'its person changes the password, also in the same session',
    async () => {
      await givePassword(ada);
      const body = { current_password: PASSWORD, new_password: 'a new and longer one' };
      return { token: ada.token, end: () => send(ada.token, 'POST', '/auth/password', body) };
    },
  ],
  [
    'its session expires',
    async () => {
      await execute(
        sql`UPDATE sessions SET expires_at = ${inMinutes(60)}::timestamptz WHERE user_id = ${ada.id}::uuid`,
      );
      return { token: ada.token, end: later(61) };
    },
  ],
  [
    'its API token is revoked',
    async () => {
      const made = await apiToken();
      return { token: made.token, end: () => send(ada.token, 'DELETE', `/auth/tokens/${made.id}`) };
    },
  ],
  [
    'its API token is revoked by an admin',
    async () => {
      const made = await apiToken();
      const { token } = acme.users.admin;
      return { token: made.token, end: () => send(token, 'DELETE', `/identity/tokens/${made.id}`) };
    },
  ],
  ['its API token expires', async () => ({ token: (await apiToken(inMinutes(30))).token, end: later(31) })],
  [
    'its API token is revoked with a change of password',
    async () => {
      await givePassword(ada);
      const body = { current_password: PASSWORD, new_password: 'a new and longer one', revoke_tokens: true };
      return { token: (await apiToken()).token, end: () => send(ada.token, 'POST', '/auth/password', body) };
    },
  ],
  ['credentials of its workload expire', async () => ({ token: (await workload()).token, end: later(16) })],
  [
    'the identity provider of its workload is deleted',
    async () => {
      const { provider_id, token } = await workload();
      return { token, end: () => send(acme.users.admin.token, 'DELETE', `/iam/providers/${provider_id}`) };
    },
  ],
  [
    'its person is removed from the project',
    () => {
      const path = `/identity/role-assignments?user_id=${ada.id}`;
      return { token: ada.token, end: () => send(acme.users.admin.token, 'DELETE', path) };
    },
  ],
  ['its person becomes a reader', () => ({ token: ada.token, end: demote })],
  ['the maker of its API token becomes a reader', async () => ({ token: (await apiToken()).token, end: demote })],
  [
    'its project is suspended',
    () => ({
      token: ada.token,
      end: () => execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${acme.id}::uuid`),
    }),
  ],
];

test.each(cases)(
  'a console ends when %s: its ticket, its cookie, and within a minute the open one',
  async (_, begin) => {
    const { token, end } = await begin();
    const ticket = ticketOf(await open(token));
    const headers = { Origin: consoles.origin, Cookie: await cookieOf(id, ticketOf(await open(token))) };
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const screen = await consoles.connect(id, 'vnc', headers);
    const terminal = await consoles.connect(id, 'serial', headers);
    expect([screen.refused, terminal.refused]).toEqual([undefined, undefined]);

    await end();
    expect(await exchangeTicket(id, ticket)).toBeUndefined();
    expect((await consoles.connect(id, 'vnc', headers)).refused).toBe(403);
    expect((await consoles.connect(id, 'serial', headers)).refused).toBe(403);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const reason = 'Access to this console has ended.';
    expect(await Promise.all([screen.closed, terminal.closed])).toEqual([
      { code: 4001, reason },
      { code: 4001, reason },
    ]);
  },
);

describe('a console', () => {
  test('is promised no longer than its credential lasts, nor than four hours', async () => {
    const ends = async (token: string) => Date.parse(((await open(token)).body as { expires_at: string }).expires_at);
    const soon = inMinutes(30);
    expect(await ends((await apiToken(soon)).token)).toBe(soon.getTime());
    const expires = inMinutes(15);
    expect(await ends((await workload(expires)).token)).toBe(Math.floor(expires.getTime() / 1000) * 1000);
    const fourHours = inMinutes(4 * 60).getTime();
    expect(Math.abs((await ends((await apiToken()).token)) - fourHours)).toBeLessThan(MINUTE_MS);
  });

  test('closes at its expiry, without waiting for the next check', async () => {
    const { token } = await apiToken(new Date(now().getTime() + 3000));
    const headers = { Origin: consoles.origin, Cookie: await cookieOf(id, ticketOf(await open(token))) };
    vi.useFakeTimers({ toFake: ['setInterval'] });
    expect(await (await consoles.connect(id, 'vnc', headers)).closed).toMatchObject({ code: 4001 });
  });

  test('of one session stays open when another session of its person ends', async () => {
    const headers = { Origin: consoles.origin, Cookie: await cookieOf(id, ticketOf(await open(ada.token))) };
    await send(await signIn(ada.id), 'POST', '/auth/logout', {});
    const { refused, socket } = await consoles.connect(id, 'vnc', headers);
    expect(refused).toBeUndefined();
    socket.close();
  });
});
