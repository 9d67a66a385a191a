import { beforeAll, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { verifyPassword } from '@/lib/people/identity/passwords';
import { testDatabase } from '@/lib/testing/database';
import {
  type Answer,
  api,
  createMember,
  createProject,
  createUser,
  signIn,
  type TestProject,
  type TestUser,
} from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

const ada = { email: 'Ada@Example.test', name: 'Ada', password: 'correct horse battery', role: 'member' };
const create = (project: TestProject, body: object, headers = {}) =>
  call('POST', '/identity/users', { token: project.users.admin.token, body, headers });
const idOf = ({ body }: Answer) => (body as { id: string }).id;
const codeOf = ({ body }: Answer) => (body as { acceptance_code: string }).acceptance_code;
const find = async (project: TestProject, email: string, token = project.users.admin.token) =>
  ((await call('GET', `/identity/users?email=${email}`, { token })).body as object[])[0];

/** Revokes one role, or all. */
function revoke(project: TestProject, userId: string, role?: string, token = project.users.admin.token) {
  const query = new URLSearchParams({ user_id: userId, ...(role ? { role } : {}) });
  return call('DELETE', `/identity/role-assignments?${query}`, { token });
}
const assign = (project: TestProject, userId: string, role: string) =>
  call('POST', '/identity/role-assignments', { token: project.users.admin.token, body: { user_id: userId, role } });

describe('a new user', () => {
  test('has the given password and role at once', async () => {
    const created = await create(acme, ada);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ email: 'ada@example.test', name: 'Ada', roles: ['member'] });
    const { password_hash } = await prisma().user.findUniqueOrThrow({ where: { id: idOf(created) } });
    expect(await verifyPassword(password_hash, ada.password)).toBe(true);
    const token = await signIn(idOf(created));
    expect(
      (await call('POST', '/vault/secrets', { token, body: { name: 'a', type: 'opaque', payload: 'x' } })).status,
    ).toBe(201);
    expect(await find(acme, 'ada@example.test')).toMatchObject({ status: 'active', roles: ['member'] });
  });

  test('cannot be created twice in the project', async () => {
    const again = await create(acme, { ...ada, email: 'ADA@example.test' });
    expect([again.status, again.body]).toMatchObject([409, { error: { code: 'CONFLICT' } }]);
  });

  test('is created once by a repeated Idempotency-Key, whose stored answer and audit entry contain no password', async () => {
    const body = { ...ada, email: 'once@example.test', password: 'CANARY-password-1' };
    const headers = { 'Idempotency-Key': 'user-1' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(acme, body, headers)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const kept = await prisma().$queryRaw<{ all: string }[]>`
      SELECT (SELECT string_agg(encode(answer, 'escape'), '') FROM idempotency_records)
        || (SELECT string_agg(a::text, '') FROM audit_entries a) || (SELECT string_agg(u::text, '') FROM users u) AS all`;
    expect(kept[0]?.all).toContain('once@example.test');
    expect(kept[0]?.all).not.toContain('CANARY');
  });

  test('created by two projects at the same moment is one account, a member of one and invited to the other', async () => {
    const projects = await Promise.all(Array.from({ length: 4 }, (_, index) => createProject(`race-${index}`)));
    const body = { ...ada, email: 'race@example.test' };
    const answers = await Promise.all(projects.map((project) => create(project, body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(idOf)).size).toBe(1);
    const members = await prisma().membership.findMany({ where: { user: { email: body.email } } });
    expect(members.map(({ status }) => status).sort()).toEqual(['active', 'invited', 'invited', 'invited']);
  });
});

describe('a person who already has an account', () => {
  let elsewhere: TestProject;
  let known: TestUser;
  const asKnown = { token: '' };
  beforeAll(async () => {
    elsewhere = await createProject('elsewhere');
    known = elsewhere.users.member;
    asKnown.token = known.token;
    await prisma().user.update({ where: { id: known.id }, data: { totp_activated_at: new Date() } });
  });
  const invite = (project: TestProject, role = 'member') =>
    create(project, { email: known.email, name: 'Whoever', password: 'a password of the admin', role });

  test('gets exactly the answer of a new user, and is invited', async () => {
    const project = await createProject();
    const before = await prisma().user.findUniqueOrThrow({ where: { id: known.id } });
    const [answer, fresh] = [await invite(project), await create(project, { ...ada, email: 'fresh@example.test' })];
    const shape = ({ status, headers, body }: Answer) => ({
      status,
      headers: [...headers.keys()],
      fields: Object.entries(body as object).map(([name, value]) => [name, typeof value]),
    });
    expect(shape(answer)).toEqual(shape(fresh));
    expect(answer.body).toMatchObject({ email: known.email, name: 'Whoever', roles: ['member'] });
    expect(await prisma().user.findUniqueOrThrow({ where: { id: known.id } })).toEqual(before);
    expect(await find(project, known.email)).toMatchObject({
      name: 'Whoever',
      status: 'invited',
      two_factor_enabled: null,
    });
  });

  test('has no access to the project before accepting, and the given role afterwards', async () => {
    const project = await createProject('inviting');
    const code = codeOf(await invite(project, 'reader'));
    const inProject = { ...asKnown, headers: { 'X-Project-Id': project.id } };
    expect((await call('GET', '/tenant/quota', inProject)).status).toBe(404);

    const { body } = await call('GET', '/auth/invitations', asKnown);
    expect(body).toContainEqual(
      expect.objectContaining({
        project_id: project.id,
        project_name: 'inviting',
        project_slug: project.slug,
        status: 'invited',
        roles: ['reader'],
        invited_by: project.users.admin.email,
      }),
    );
    const accept = () => call('POST', `/auth/invitations/${project.id}/accept`, { ...asKnown, body: { code } });
    expect(await accept()).toMatchObject({ status: 200, body: { status: 'active', roles: ['reader'] } });
    expect((await accept()).status).toBe(409);
    expect((await invite(project)).status, 'a member is not invited').toBe(409);
    expect((await call('GET', '/tenant/quota', inProject)).status).toBe(200);
    expect((await call('POST', '/vault/secrets', { ...inProject, body: {} })).status).toBe(403);
    const name = known.email.split('@')[0];
    expect(await find(project, known.email)).toMatchObject({ name, status: 'active', two_factor_enabled: true });
    const asked = await find(project, known.email, project.users.member.token);
    expect(asked, 'who has no second factor is for admins to know').toMatchObject({ two_factor_enabled: null });
  });

  test('can decline, and is then not in the project', async () => {
    const project = await createProject();
    await invite(project);
    const decline = () => call('POST', `/auth/invitations/${project.id}/decline`, { ...asKnown, body: {} });
    expect((await decline()).status).toBe(204);
    expect((await decline()).status).toBe(404);
    expect(await find(project, known.email)).toBeUndefined();
    expect((await invite(project)).status, 'and can be invited again').toBe(201);
  });

  test('cannot decline an accepted invitation: leaving is separate', async () => {
    const declined = await call('POST', `/auth/invitations/${elsewhere.id}/decline`, { ...asKnown, body: {} });
    expect(declined.status).toBe(409);
  });

  test('finds no invitation after the admin has withdrawn it', async () => {
    const project = await createProject();
    const invited = await invite(project);
    expect((await revoke(project, idOf(invited))).status).toBe(204);
    const body = { code: codeOf(invited) };
    expect((await call('POST', `/auth/invitations/${project.id}/accept`, { ...asKnown, body })).status).toBe(404);
  });

  test('does not count as the admin that a project needs', async () => {
    const project = await createProject();
    const id = idOf(await invite(project, 'admin'));
    expect((await revoke(project, project.users.admin.id)).status).toBe(409);
    expect((await revoke(project, id)).status).toBe(204);
  });
});

describe('roles', () => {
  test('add up, and the highest one counts', async () => {
    const project = await createProject();
    const { id, token } = project.users.reader;
    const createSecret = () => call('POST', '/vault/secrets', { token, body: {} });
    expect((await createSecret()).status).toBe(403);
    const assigned = await assign(project, id, 'member');
    expect(assigned).toMatchObject({ status: 201, body: { user_id: id, role: 'member', roles: ['member', 'reader'] } });
    expect((await createSecret()).status).toBe(400);
    expect((await assign(project, id, 'member')).status).toBe(409);
    expect((await revoke(project, id, 'member')).status).toBe(204);
    expect((await createSecret()).status).toBe(403);
    expect((await revoke(project, id, 'member')).status).toBe(404);
  });

  test('are listed, each with the roles it includes', async () => {
    const { body } = await call('GET', '/identity/roles', { token: acme.users.reader.token });
    expect(body).toMatchObject([
      { name: 'admin', includes: ['member', 'reader'] },
      { name: 'member', includes: ['reader'] },
      { name: 'reader', includes: [] },
    ]);
  });

  test('cannot be changed for unknown people, people elsewhere and malformed ids', async () => {
    const other = await createProject('other');
    for (const id of [other.users.member.id, '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', 'nobody', "'; --"]) {
      for (const answer of [
        await assign(acme, id, 'reader'),
        await revoke(acme, id),
        await revoke(acme, id, 'admin'),
      ]) {
        expect(answer.status).toBe(404);
        expect(answer.text).toContain('user_id');
      }
    }
    expect(await find(other, other.users.member.email)).toMatchObject({ roles: ['member'] });
  });

  test('end with the membership and its tokens in this project only, when the last one is revoked', async () => {
    const project = await createProject();
    const other = await createProject();
    const { id, email } = project.users.member;
    const at = new Date();
    const standing = { project_id: other.id, user_id: id, created_at: at };
    await prisma().membership.create({ data: { ...standing, status: 'active', updated_at: at } });
    await prisma().roleAssignment.create({ data: { ...standing, role: 'member' } });
    await Promise.all(
      [project, other].map(({ id: project_id }, index) =>
        prisma().apiToken.create({
          data: {
            id: `01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e${id.slice(-1)}${index}`,
            project_id,
            user_id: id,
            name: 'ci',
            role: 'member',
            prefix: 'neph_',
            token_hash: Buffer.from(`${id}${index}`),
            created_at: at,
            updated_at: at,
          },
        }),
      ),
    );
    await assign(project, id, 'reader');
    expect((await revoke(project, id, 'member')).status).toBe(204);
    expect(await find(project, email)).toMatchObject({ roles: ['reader'] });
    expect((await revoke(project, id, 'reader')).status).toBe(204);
    expect(await find(project, email)).toBeUndefined();
    const tokens = await prisma().apiToken.findMany({ where: { user_id: id } });
    expect(tokens.map(({ project_id }) => project_id)).toEqual([other.id]);
    const entry = await prisma().auditEntry.findFirst({
      where: { action: 'role.revoke', resource_id: id },
      orderBy: { id: 'desc' },
    });
    expect(entry?.details).toEqual({ role: 'reader', left_project: true, tokens_ended: 1 });
  });
});

describe('the last admin', () => {
  test('can neither leave nor lose the role, but can lose another role', async () => {
    const project = await createProject();
    const { id } = project.users.admin;
    await assign(project, id, 'reader');
    for (const answer of [await revoke(project, id), await revoke(project, id, 'admin')]) {
      expect(answer.body).toMatchObject({
        error: { code: 'CONFLICT', message: expect.stringContaining('last admin') },
      });
    }
    expect((await revoke(project, id, 'reader')).status).toBe(204);
    expect(await find(project, project.users.admin.email)).toMatchObject({ roles: ['admin'] });
  });

  test('remains when all admins remove one another at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = await createProject();
      const admins = [
        project.users.admin,
        ...(await Promise.all([1, 2, 3].map(() => createMember(project.id, 'admin')))),
      ];
      const answers = await Promise.all(
        admins.map((admin, index) => {
          const target = admins[(index + 1) % admins.length] ?? admin;
          return revoke(project, target.id, index % 2 === 0 ? 'admin' : undefined, admin.token);
        }),
      );
      const left = await prisma().roleAssignment.count({ where: { project_id: project.id, role: 'admin' } });
      expect(left, answers.map(({ status }) => status).join()).toBeGreaterThan(0);
      expect(left).toBe(admins.length - answers.filter(({ status }) => status === 204).length);
    }
  });

  test('nobody stays in a project without a role, however role changes interleave', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = await createProject();
      const { id, email } = project.users.member;
      await assign(project, id, 'reader');
      await Promise.all([revoke(project, id, 'reader'), assign(project, id, 'admin'), revoke(project, id, 'member')]);
      const found = await find(project, email);
      const memberships = await prisma().membership.count({ where: { project_id: project.id, user_id: id } });
      expect(memberships).toBe(found ? 1 : 0);
      if (found) expect(found).toMatchObject({ roles: ['admin'] });
    }
  });
});

describe('the list', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject('listed');
    await create(project, { ...ada, email: 'zoe@example.test', name: 'Zoë 100%', role: 'reader' });
    await createUser('outsider@example.test');
    await create(project, { ...ada, email: 'outsider@example.test', name: 'Invited One', role: 'admin' });
  });
  const list = async (query = '') => {
    const { body } = await call('GET', `/identity/users${query}`, { token: project.users.admin.token });
    return (body as { email: string }[]).map(({ email }) => email.replace(/-.*/, ''));
  };

  test('is filtered by role, status, and part of name or address', async () => {
    expect(await list('?role=admin')).toEqual(['outsider@example.test', 'admin']);
    expect(await list('?status=invited')).toEqual(['outsider@example.test']);
    expect(await list('?search=invited%20one')).toEqual(['outsider@example.test']);
    expect(await list('?search=100%25')).toEqual(['zoe@example.test']);
    expect(await list('?search=ZOE@')).toEqual(['zoe@example.test']);
    expect(await list('?search=outsider&status=active')).toEqual([]);
  });

  test('is sorted by start of membership or by address, with pages that skip nobody', async () => {
    expect((await list()).slice(0, 2)).toEqual(['outsider@example.test', 'zoe@example.test']);
    for (const sort of ['-created_at', 'created_at', 'email', '-name']) {
      const seen: string[] = [];
      let next = `/identity/users?limit=2&sort=${sort}`;
      while (next) {
        const page = await call('GET', next, { token: project.users.admin.token });
        seen.push(...(page.body as { email: string }[]).map(({ email }) => email));
        next = /<[^>]*\/api\/v1([^>]*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      }
      expect(seen).toHaveLength(5);
      expect(new Set(seen).size).toBe(5);
      if (sort === 'email') expect(seen).toEqual([...seen].sort());
    }
  });

  test('is closed to readers', async () => {
    expect((await call('GET', '/identity/users', { token: project.users.reader.token })).status).toBe(403);
  });
});

test('no admin changes another person: no project endpoint accepts a password, second factor or name of one', async () => {
  const { endpoints } = await import('@/lib/platform/endpoints');
  const ofProject = endpoints.filter(({ access, realm }) => realm === 'tenant' && access === 'admin');
  const changing = ofProject.filter(({ method, body }) => {
    const fields = JSON.stringify(body ? Object.keys((body as unknown as { shape?: object }).shape ?? {}) : []);
    return method !== 'GET' && /password|totp|two_factor/.test(fields);
  });
  expect(changing.map(({ operation_id }) => operation_id)).toEqual(['createUser']);
});
