import { beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { givePassword, PASSWORD } from '@/lib/testing/sign-in';
import { api, createMember, createProject, createUser, signIn, type TestUser } from '@/lib/testing/world';
import { sessionCookies } from './cookies';
import { signIn as signInWith } from './sign-in';

testDatabase();
const call = api();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
let ada: TestUser;
let tests = 0;

beforeEach(async () => {
  tests += 1;
  await setTestClock(0);
  ada = await createUser(`ada-${tests}@example.test`);
});

const works = async (token: string) => (await call('GET', '/auth/me', { token })).status === 200;
const sessions = async (token: string) =>
  (await call('GET', '/auth/sessions', { token })).body as { id: string; current: boolean }[];
const cookie = (token: string) => ({ Cookie: `${sessionCookies().tenant}=${token}` });

/** A portal session, as started by the sign-in page. */
async function browserSession(person = ada, at = new Date()): Promise<string> {
  await givePassword(person);
  const origin = { at, caller: undefined, address: '192.0.2.9', user_agent: 'Firefox', request_id: 'r' };
  const credentials = { email: person.email, password: PASSWORD };
  const outcome = await signInWith(origin, credentials, { realm: 'tenant', kind: 'browser' });
  if (outcome.step !== 'signed_in') throw new Error('not signed in');
  return outcome.token;
}

describe('the list of sessions', () => {
  test('shows one’s own valid sessions with the current one, and nobody else’s', async () => {
    const other = await signIn(ada.id);
    const eve = await createUser(`eve-${tests}@example.test`);
    const shown = await sessions(ada.token);
    expect(shown.map(({ current }) => current)).toEqual([false, true]);
    expect((await sessions(other)).map(({ current }) => current)).toEqual([true, false]);
    expect((await sessions(eve.token)).map(({ id }) => id)).not.toEqual(
      expect.arrayContaining(shown.map(({ id }) => id)),
    );
    await setTestClock(2 * DAY_MS);
    expect(await sessions(await signIn(ada.id))).toHaveLength(1);
  });

  test('is paged', async () => {
    await signIn(ada.id);
    await signIn(ada.id);
    const first = await call('GET', '/auth/sessions?limit=2', { token: ada.token });
    expect(first.body).toHaveLength(2);
    const next = /<[^>]*\/api\/v1(\/[^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await call('GET', next, { token: ada.token })).body).toHaveLength(1);
  });
});

describe('revoking', () => {
  test('a session ends it for the very next request, and no other', async () => {
    const other = await signIn(ada.id);
    const id = (await sessions(ada.token)).find(({ current }) => !current)?.id;
    expect((await call('DELETE', `/auth/sessions/${id}`, { token: ada.token })).status).toBe(204);
    expect([await works(other), await works(ada.token)]).toEqual([false, true]);
    expect((await call('DELETE', `/auth/sessions/${id}`, { token: ada.token })).status).toBe(404);
  });

  test('another person’s session is not possible', async () => {
    const eve = await createUser(`eve-${tests}@example.test`);
    const id = (await sessions(eve.token))[0]?.id;
    expect((await call('DELETE', `/auth/sessions/${id}`, { token: ada.token })).status).toBe(404);
    expect(await works(eve.token)).toBe(true);
  });

  test('all ends every session including this one, and nobody else’s', async () => {
    const others = [await signIn(ada.id), await browserSession()];
    const eve = await createUser(`eve-${tests}@example.test`);
    expect((await call('POST', '/auth/sessions/revoke-all', { token: ada.token })).status).toBe(204);
    for (const token of [...others, ada.token]) expect(await works(token)).toBe(false);
    expect(await works(eve.token)).toBe(true);
    expect(await works(await signIn(ada.id))).toBe(true);
  });

  test('leaves API tokens alone', async () => {
    const project = await createProject('tokens');
    const maker = await createMember(project.id, 'admin');
    const { API_TOKEN_PREFIX, credentialHash } = await import('./authenticate');
    const token = `${API_TOKEN_PREFIX}test`;
    const now = new Date();
    await prisma().apiToken.create({
      data: {
        id: crypto.randomUUID(),
        project_id: project.id,
        user_id: maker.id,
        name: 'ci',
        role: 'reader',
        prefix: 'neph_test',
        token_hash: new Uint8Array(credentialHash(token)),
        created_at: now,
        updated_at: now,
      },
    });
    await call('POST', '/auth/sessions/revoke-all', { token: maker.token });
    expect((await call('GET', '/auth/me', { token })).body).toMatchObject({
      type: 'token',
      email: maker.email,
      project: { project_id: project.id, role: 'reader' },
    });
  });

  test('logout ends only the session of the request', async () => {
    const other = await signIn(ada.id);
    expect((await call('POST', '/auth/logout', { token: ada.token })).status).toBe(204);
    expect([await works(ada.token), await works(other)]).toEqual([false, true]);
  });
});

describe('a change of password', () => {
  const change = (current_password: string, new_password: string, token = ada.token) =>
    call('POST', '/auth/password', { token, body: { current_password, new_password }, address: `198.51.100.${tests}` });

  test('takes effect, ends all other sessions and keeps this one', async () => {
    await givePassword(ada);
    const others = [await signIn(ada.id), await browserSession()];
    expect((await change(PASSWORD, 'a new and longer one')).status).toBe(204);
    expect(await works(ada.token)).toBe(true);
    for (const token of others) expect(await works(token)).toBe(false);
    expect(await sessions(ada.token)).toHaveLength(1);
    const login = (password: string) => call('POST', '/auth/login', { body: { email: ada.email, password } });
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login('a new and longer one')).status).toBe(200);
  });

  test('needs the current password, which can be guessed at most ten times', async () => {
    await givePassword(ada);
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, i) => change(`guess-${i}`, 'a new and longer one')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    expect(answers[0]?.body).toMatchObject({ error: { code: 'INVALID_CREDENTIALS' } });
    expect((await change(PASSWORD, 'a new and longer one')).status).toBe(429);
  });

  test('by two concurrent requests happens once', async () => {
    await givePassword(ada);
    const answers = await Promise.all([change(PASSWORD, 'the first new one'), change(PASSWORD, 'the second new one')]);
    expect(answers.map(({ status }) => status).sort()).not.toEqual([204, 204]);
  });

  test('refuses a short one by its field', async () => {
    const { status, text } = await change(PASSWORD, 'short');
    expect(status).toBe(400);
    expect(text).toContain('new_password');
  });
});

describe('a portal session', () => {
  test('ends after 12 idle hours, is extended by requests, and lasts seven days at most', async () => {
    const idle = await browserSession();
    const used = await browserSession();
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      await setTestClock(hours * HOUR_MS);
      expect(await works(used)).toBe(true);
      await seen(used, hours);
    }
    expect(await works(idle)).toBe(false);
    await setTestClock(7 * DAY_MS + MINUTE_MS);
    expect(await works(used)).toBe(false);
  });

  test('is accepted by the API as a cookie, and a change with it needs a same-origin proof', async () => {
    const token = await browserSession();
    const change = (headers: object) =>
      call('PATCH', '/auth/me', { body: { name: 'Ada' }, headers: { ...cookie(token), ...headers } });
    expect((await call('GET', '/auth/me', { headers: cookie(token) })).body).toMatchObject({ email: ada.email });
    expect((await change({})).status).toBe(403);
    expect((await change({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await change({ Origin: 'https://evil.example', Host: 'cloud.example' })).status).toBe(403);
    expect((await change({ 'Sec-Fetch-Site': 'same-origin' })).body).toMatchObject({ name: 'Ada' });
    expect((await change({ Origin: 'https://cloud.example', Host: 'cloud.example' })).status).toBe(200);
  });

  test('can only sign out or change an initial password; access tokens work without that', async () => {
    const project = await createProject(`initial-${tests}`);
    const person = { email: `new-${tests}@example.test`, name: 'New', password: PASSWORD };
    const created = await call('POST', '/identity/users', {
      token: project.users.admin.token,
      body: { ...person, role: 'member' },
    });
    expect(created.status).toBe(201);
    const user = await prisma().user.findUniqueOrThrow({ where: { email: person.email } });
    const token = await browserSession({ ...ada, ...user });
    const headers = { ...cookie(token), 'Sec-Fetch-Site': 'same-origin' };
    const refused = await call('GET', '/auth/me', { headers });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { error: { code: 'FORBIDDEN', message: 'Change your initial password first: POST /auth/password.' } },
    ]);
    expect((await call('GET', '/vault/secrets', { headers })).status).toBe(403);
    expect((await call('POST', '/auth/tokens', { headers, body: { name: 'ci', role: 'member' } })).status).toBe(403);
    expect(await works(await signIn(user.id))).toBe(true);
    const change = async (new_password: string) => {
      const body = { current_password: PASSWORD, new_password, revoke_tokens: false };
      expect((await call('POST', '/auth/password', { headers, body })).status).toBe(204);
      return (await call('GET', '/vault/secrets', { headers })).status;
    };
    expect(await change(PASSWORD)).toBe(403);
    expect(await change('a password of my own')).toBe(200);
  });

  test('gives its cookie back when it logs out by the API', async () => {
    const token = await browserSession();
    const headers = { ...cookie(token), 'Sec-Fetch-Site': 'same-origin' };
    const answer = await call('POST', '/auth/logout', { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(new RegExp(`^${sessionCookies().tenant}=; .*Max-Age=0`));
    expect((await call('GET', '/auth/me', { headers: cookie(token) })).status).toBe(401);
  });

  test('is not valid in the back office, nor the other way round', async () => {
    const root = await createUser(`root-${tests}@example.test`, 'backoffice');
    expect(await works(root.token)).toBe(false);
    expect((await call('GET', '/auth/me', { headers: cookie(root.token) })).status).toBe(401);
  });
});

describe('who am I', () => {
  test('returns the profile, every membership with role and statuses, and the current project', async () => {
    const [first, second] = [await createProject('first'), await createProject('second')];
    const person = await createMember(first.id, 'reader');
    const at = new Date();
    const membership = { user_id: person.id, created_at: at, updated_at: at };
    await prisma().membership.create({ data: { ...membership, project_id: second.id, status: 'active' } });
    for (const role of ['member', 'admin']) {
      await prisma().roleAssignment.create({
        data: { project_id: second.id, user_id: person.id, role, created_at: at },
      });
    }
    const third = await createProject('third');
    await prisma().membership.create({ data: { ...membership, project_id: third.id, status: 'invited' } });
    await prisma().project.update({ where: { id: first.id }, data: { status: 'suspended' } });

    const me = await call('GET', '/auth/me', { token: person.token });
    expect(me.body).toMatchObject({
      type: 'user',
      id: person.id,
      email: person.email,
      two_factor_enabled: false,
      memberships: [
        { project_id: first.id, role: 'reader', status: 'active', project_status: 'suspended' },
        { project_id: second.id, role: 'admin', status: 'active', project_status: 'active' },
        { project_id: third.id, status: 'invited' },
      ],
      project: { project_id: first.id },
    });
    const chosen = await call('GET', '/auth/me', { token: person.token, headers: { 'X-Project-Id': second.id } });
    expect(chosen.body).toMatchObject({ project: { project_id: second.id, role: 'admin', project_slug: second.slug } });
    const notMine = await call('GET', '/auth/me', { token: person.token, headers: { 'X-Project-Id': third.id } });
    expect(notMine.status).toBe(404);
  });

  test('a changed name is audited with the old one', async () => {
    const { status, body } = await call('PATCH', '/auth/me', { token: ada.token, body: { name: '  Ada Lovelace ' } });
    expect([status, body]).toMatchObject([200, { name: 'Ada Lovelace' }]);
    const entry = await prisma().auditEntry.findFirstOrThrow({ where: { actor_id: ada.id } });
    expect(entry).toMatchObject({
      action: 'user.update_profile',
      details: { name: { old: `ada-${tests}`, new: 'Ada Lovelace' } },
    });
  });
});

/** Waits for the last-seen update, which runs in the background. */
async function seen(token: string, hours: number): Promise<void> {
  await expect
    .poll(async () => {
      const shown = (await sessions(token)) as { current: boolean; last_seen_at?: string }[];
      const current = shown.find((session) => session.current);
      return Date.parse(current?.last_seen_at ?? '') > Date.now() + hours * HOUR_MS - MINUTE_MS;
    })
    .toBe(true);
}
