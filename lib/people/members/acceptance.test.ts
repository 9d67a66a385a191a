import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { failureLimits } from '@/lib/people/identity/attempts';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import {
  type Answer,
  api,
  createProject,
  createUser,
  signIn,
  type TestProject,
  type TestUser,
} from '@/lib/testing/world';

// An account that somebody else created must never be brought into another project.

testDatabase();
const call = api();
let root: TestUser;
let tests = 0;
beforeAll(async () => {
  root = await createUser('root@example.test', 'backoffice');
});
beforeEach(async () => {
  tests += 1;
  await setTestClock(0);
});

const chosen = { squatter: 'chosen by the squatter', inviter: 'chosen by the inviter' };
const codeOf = ({ body }: Answer) => (body as { acceptance_code: string }).acceptance_code;

const add = (project: TestProject, email: string, password: string, role = 'admin') =>
  call('POST', '/identity/users', {
    token: project.users.admin.token,
    body: { email, name: 'Alice', password, role },
  });
const login = (email: string, password: string) => call('POST', '/auth/login', { body: { email, password } });
const tokenOf = ({ body }: Answer) => (body as { access_token?: string }).access_token ?? '';
const accept = (token: string, projectId: string, code: string, address = `192.0.2.${tests}`) =>
  call('POST', `/auth/invitations/${projectId}/accept`, { token, body: { code }, address });
const secretsOf = (token: string, projectId: string) =>
  call('GET', '/vault/secrets', { token, headers: { 'X-Project-Id': projectId } });

/** An account with a password, created in a project of its own, and its access token. */
async function account(email: string): Promise<{ home: TestProject; token: string }> {
  const home = await createProject('home');
  await add(home, email, chosen.squatter, 'member');
  return { home, token: tokenOf(await login(email, chosen.squatter)) };
}

/** The refusal of every wrong code, whatever is wrong with it. */
const refused = {
  status: 401,
  body: {
    error: { code: 'INVALID_CREDENTIALS', message: expect.stringMatching(/incorrect, expired or already used/) },
  },
};

describe('a squatted e-mail address', () => {
  test('gives the squatter no other project: not by guessing, by a code of their own project, or without a code', async () => {
    const squatter = await createProject('squatter');
    const email = 'alice@victim.test';
    const own = codeOf(await add(squatter, email, chosen.squatter));
    const victim = await createProject('victim');
    const invited = await add(victim, email, 'never used at all');
    expect(invited.status).toBe(201);

    expect((await login(email, 'never used at all')).status).toBe(401);
    const token = tokenOf(await login(email, chosen.squatter));
    expect((await call('GET', '/auth/me', { token })).status).toBe(200);
    const answer = await call('POST', `/auth/invitations/${victim.id}/accept`, { token, body: {} });
    expect(answer.status).toBe(400);
    for (const code of [own, 'k7wp-3mzx-90ab-cdef', codeOf(invited).slice(0, -1)]) {
      expect(await accept(token, victim.id, code)).toMatchObject(refused);
    }
    expect((await secretsOf(token, victim.id)).status).toBe(404);
    const found = await prisma().membership.findFirstOrThrow({ where: { project_id: victim.id, user: { email } } });
    expect(found.status).toBe('invited');
  });

  test('gives the squatter no tenant that the back office creates for the owner or adds them to', async () => {
    const squatter = await createProject('squatter');
    const email = 'bob@victim.test';
    await add(squatter, email, chosen.squatter);
    const token = tokenOf(await login(email, chosen.squatter));
    const admin = { email, name: 'Bob', password: 'never used at all' };
    const office = (path: string, body: object) =>
      call('POST', `/admin/api/v1/tenants${path}`, { token: root.token, body });
    const made = await office('', { name: 'Victim', slug: `victim-${tests}`, admin });
    expect([made.status, codeOf(made)]).toEqual([201, expect.stringMatching(/^\w{4}(-\w{4}){3}$/)]);
    const { id } = made.body as { id: string };
    expect(await accept(token, id, 'k7wp-3mzx-90ab-cdef')).toMatchObject(refused);
    expect((await secretsOf(token, id)).status).toBe(404);

    const other = await createProject('other-victim');
    const added = await office(`/${other.id}/admins`, admin);
    expect(added).toMatchObject({ status: 201, body: { status: 'invited', account: 'existing' } });
    expect(await accept(token, other.id, codeOf(made))).toMatchObject(refused);
    expect((await secretsOf(token, other.id)).status).toBe(404);
    expect((await accept(token, other.id, codeOf(added))).status, 'the code of this very invitation').toBe(200);
  });

  test('that two projects create at once is a member of one, and joins the other only with that one’s code', async () => {
    const projects = await Promise.all([createProject('one'), createProject('two')]);
    const email = 'raced@victim.test';
    const answers = await Promise.all(projects.map((project, n) => add(project, email, `password number ${n}`)));
    const memberships = await prisma().membership.findMany({ where: { user: { email } } });
    const first = projects.findIndex(({ id }) => memberships.some((m) => m.project_id === id && m.status === 'active'));
    const [mine, other] = [answers[first], answers[1 - first]];
    const token = tokenOf(await login(email, `password number ${first}`));
    const target = projects[1 - first]?.id ?? '';
    if (!mine || !other) throw new Error('neither project has the account');
    expect(await accept(token, target, codeOf(mine))).toMatchObject(refused);
    expect((await accept(token, target, codeOf(other))).status).toBe(200);
  });
});

describe('an inviter', () => {
  test('gains nothing from the code: it signs nobody in, and changes no password, name or second factor', async () => {
    const email = 'carol@victim.test';
    const { home, token } = await account(email);
    const inviter = await createProject('inviter');
    const before = await prisma().user.findUniqueOrThrow({ where: { email } });
    const code = codeOf(await add(inviter, email, chosen.inviter));

    for (const password of [code, chosen.inviter]) expect((await login(email, password)).status).toBe(401);
    const asInviter = inviter.users.admin.token;
    expect((await accept(asInviter, inviter.id, code)).status, 'a member of the project').toBe(409);
    expect((await accept(inviter.users.reader.token, home.id, code)).status, 'not invited there').toBe(404);
    expect((await secretsOf(asInviter, home.id)).status).toBe(404);
    const made = await call('POST', '/auth/tokens', { token: asInviter, body: { name: 'x', role: 'admin' } });
    const apiToken = (made.body as { token: string }).token;
    expect((await accept(apiToken, inviter.id, code)).status, 'a token is no person').toBe(403);
    expect(await prisma().user.findUniqueOrThrow({ where: { email } })).toEqual(before);
    expect((await accept(token, inviter.id, code)).status, 'and the owner still joins with it').toBe(200);
    expect(await prisma().user.findUniqueOrThrow({ where: { email } })).toEqual(before);
  });

  test('does not learn whether an account exists: both answers have the same form and a code', async () => {
    await account('known@victim.test');
    const inviter = await createProject('asking');
    const answers = [
      await add(inviter, 'known@victim.test', chosen.inviter),
      await add(inviter, 'unknown@victim.test', chosen.inviter),
    ];
    for (const { status, body } of answers) {
      expect([status, Object.keys(body as object).sort()]).toEqual([
        201,
        ['acceptance_code', 'acceptance_expires_at', 'created_at', 'email', 'id', 'name', 'roles', 'updated_at'],
      ]);
    }
    expect(new Set(answers.map(codeOf)).size).toBe(2);
  });
});

describe('an acceptance code', () => {
  test('is stored as a hash only, and appears in no audit entry and no stored answer in the clear', async () => {
    await account('hash@victim.test');
    const inviter = await createProject('hashing');
    const body = { email: 'hash@victim.test', name: 'A', password: chosen.inviter, role: 'reader' };
    const headers = { 'Idempotency-Key': 'invite-1' };
    const ask = () => call('POST', '/identity/users', { token: inviter.users.admin.token, body, headers });
    const [answer, again] = [await ask(), await ask()];
    expect(again.text).toBe(answer.text);
    const [row] = await prisma().$queryRaw<{ all: string }[]>`
      SELECT (SELECT string_agg(encode(answer, 'escape'), '') FROM idempotency_records)
        || (SELECT string_agg(a::text, '') FROM audit_entries a) || (SELECT string_agg(m::text, '') FROM memberships m)
        || (SELECT coalesce(string_agg(o::text, ''), '') FROM operations o) AS all`;
    expect(row?.all).toContain('hash@victim.test');
    expect(row?.all).not.toContain(codeOf(answer));
    expect(row?.all).not.toContain(Buffer.from(codeOf(answer)).toString('hex'));
  });

  test('is accepted however a person types it', async () => {
    const { token } = await account('typing@victim.test');
    const inviter = await createProject('typing');
    const code = codeOf(await add(inviter, 'typing@victim.test', chosen.inviter, 'reader'));
    const typed = ` ${code.toUpperCase().replace(/-/g, ' ').replace(/0/g, 'O').replace(/1/g, 'I')} `;
    expect((await accept(token, inviter.id, typed)).status).toBe(200);
  });

  test('works for seven days by the platform’s clock', async () => {
    await account('late@victim.test');
    const inviter = await createProject('patient');
    const answer = await add(inviter, 'late@victim.test', chosen.inviter, 'reader');
    const { acceptance_expires_at, created_at } = answer.body as Record<string, string>;
    const days = 24 * 60 * 60 * 1000;
    expect(Date.parse(acceptance_expires_at ?? '') - Date.parse(created_at ?? '')).toBe(7 * days);
    const { id } = await prisma().user.findUniqueOrThrow({ where: { email: 'late@victim.test' } });
    await setTestClock(7 * days + 1000);
    expect(await accept(await signIn(id), inviter.id, codeOf(answer))).toMatchObject(refused);
    await setTestClock(7 * days - 60_000);
    expect((await accept(await signIn(id), inviter.id, codeOf(answer))).status).toBe(200);
  });

  test('of an earlier invitation ends with a new one, which has the new role', async () => {
    const { token } = await account('again@victim.test');
    const inviter = await createProject('again');
    const first = codeOf(await add(inviter, 'again@victim.test', chosen.inviter, 'admin'));
    const second = await add(inviter, 'again@victim.test', chosen.inviter, 'reader');
    expect(second).toMatchObject({ status: 201, body: { roles: ['reader'] } });
    expect(await accept(token, inviter.id, first)).toMatchObject(refused);
    expect(await accept(token, inviter.id, codeOf(second))).toMatchObject({ status: 200, body: { roles: ['reader'] } });
  });

  test('from the back office ends with a new one too', async () => {
    const { token } = await account('office@victim.test');
    const { id } = await createProject('office');
    const body = { email: 'office@victim.test', name: 'O', password: chosen.inviter };
    const ask = () => call('POST', `/admin/api/v1/tenants/${id}/admins`, { token: root.token, body });
    const [first, second] = [codeOf(await ask()), codeOf(await ask())];
    expect(await accept(token, id, first)).toMatchObject(refused);
    expect((await accept(token, id, second)).status).toBe(200);
    expect((await ask()).status, 'an admin is not invited').toBe(409);
  });

  test('works once among many concurrent requests, and not again after the person has left', async () => {
    const email = 'once@victim.test';
    const { token } = await account(email);
    const inviter = await createProject('once');
    const answer = await add(inviter, email, chosen.inviter, 'reader');
    const { id } = answer.body as { id: string };
    const answers = await race(
      'SELECT FROM memberships FOR UPDATE',
      [1, 2, 3].map((n) => () => accept(token, inviter.id, codeOf(answer), `198.51.100.${n}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    await call('DELETE', `/identity/role-assignments?user_id=${id}`, { token: inviter.users.admin.token });
    await add(inviter, email, chosen.inviter, 'reader');
    expect(await accept(token, inviter.id, codeOf(answer))).toMatchObject(refused);
  });

  test('cannot be guessed: after too many failures even the right code must wait', async () => {
    const { token } = await account('guess@victim.test');
    const inviter = await createProject('guessed');
    const code = codeOf(await add(inviter, 'guess@victim.test', chosen.inviter, 'reader'));
    for (let n = 0; n < failureLimits.account.most; n += 1) {
      expect((await accept(token, inviter.id, `wrong-${n}`)).status).toBe(401);
    }
    const barred = await accept(token, inviter.id, code);
    expect([barred.status, barred.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await accept(token, inviter.id, code, '198.51.100.1')).status, 'from another address').toBe(200);
  });

  test('is missing from an invitation of an earlier version, which must be renewed', async () => {
    const email = 'early@victim.test';
    const { token } = await account(email);
    const inviter = await createProject('early');
    await add(inviter, email, chosen.inviter, 'reader');
    const none = { acceptance_code_hash: null, acceptance_expires_at: null };
    await prisma().membership.updateMany({ where: { project_id: inviter.id, status: 'invited' }, data: none });
    expect(await accept(token, inviter.id, 'k7wp-3mzx-90ab-cdef')).toMatchObject(refused);
    const code = codeOf(await add(inviter, email, chosen.inviter, 'reader'));
    expect((await accept(token, inviter.id, code)).status).toBe(200);
  });
});
