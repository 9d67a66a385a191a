import { beforeAll, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';

const MOST = 4;
Object.assign(process.env, {
  SECRETS_PER_PROJECT: MOST,
  TOKENS_PER_USER: MOST,
  KEY_PAIRS_PER_PROJECT: MOST,
  // The projects of these tests have three users from the start.
  USERS_PER_PROJECT: 3 + MOST,
  INVITATIONS_PER_PROJECT: 2,
});

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsJ2dBzkzBPKZ5zS5vWZ3cMWxVV2sAfwOx5RNTxFwcQ';
const post = (project: TestProject, path: string, body: object) =>
  call('POST', path, { token: project.users.admin.token, body });

const kinds = [
  {
    setting: 'SECRETS_PER_PROJECT',
    create: (project: TestProject, name: string) =>
      post(project, '/vault/secrets', { name, type: 'opaque', payload: 'x' }),
  },
  {
    setting: 'TOKENS_PER_USER',
    create: (project: TestProject, name: string) => post(project, '/auth/tokens', { name, role: 'reader' }),
  },
  {
    setting: 'KEY_PAIRS_PER_PROJECT',
    create: (project: TestProject, name: string) => post(project, '/compute/keypairs', { name, public_key: publicKey }),
  },
  {
    setting: 'USERS_PER_PROJECT',
    create: (project: TestProject, name: string) =>
      post(project, '/identity/users', {
        email: `${name}-${project.id}@example.test`,
        name,
        password: 'correct horse battery',
        role: 'reader',
      }),
  },
];

describe.each(kinds)('$setting', ({ setting, create }) => {
  test('is never exceeded by parallel creates, is reached exactly, and is named in the refusal', async () => {
    const project = await createProject('parallel');
    const names = Array.from({ length: 2 * MOST }, (_, index) => `thing-${index}`);
    const lock = `SELECT FROM project_accounts WHERE project_id = '${project.id}' FOR UPDATE`;
    const answers = await race(
      lock,
      names.map((name) => () => create(project, name)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { body } of refused) {
      expect(body).toMatchObject({ error: { code: 'CONFLICT', message: expect.stringContaining(setting) } });
    }
  });

  test('is counted per project', async () => {
    expect((await create(await createProject('fresh'), 'first')).status).toBe(201);
  });
});

test('a deleted secret, a revoked token and an expired one make room', async () => {
  const [secrets, tokens] = kinds;
  for (let index = 0; index < MOST; index++) {
    await secrets?.create(acme, `s-${index}`);
    await tokens?.create(acme, `t-${index}`);
  }
  const idOf = async (path: string) => {
    const { body } = await call('GET', path, { token: acme.users.admin.token });
    return (body as { id: string }[])[0]?.id;
  };
  expect((await secrets?.create(acme, 's-more'))?.status).toBe(409);
  await call('DELETE', `/vault/secrets/${await idOf('/vault/secrets')}`, { token: acme.users.admin.token });
  expect((await secrets?.create(acme, 's-more'))?.status).toBe(201);

  expect((await tokens?.create(acme, 't-more'))?.status).toBe(409);
  await call('DELETE', `/auth/tokens/${await idOf('/auth/tokens')}`, { token: acme.users.admin.token });
  expect((await tokens?.create(acme, 't-more'))?.status).toBe(201);
  await prisma().apiToken.updateMany({ where: { name: 't-0' }, data: { expires_at: new Date(0) } });
  expect((await tokens?.create(acme, 't-last'))?.status).toBe(201);
  const mine = await call('POST', '/auth/tokens', {
    token: acme.users.member.token,
    body: { name: 'mine', role: 'reader' },
  });
  expect(mine.status).toBe(201);
});

test('a refusal for too many open invitations does not reveal whether an e-mail has an account', async () => {
  const project = await createProject('inviting');
  const known = await Promise.all(['a', 'b', 'c'].map((name) => createUser(`${name}-${project.id}@example.test`)));
  const invite = (email: string) =>
    post(project, '/identity/users', { email, name: 'x', password: 'correct horse battery', role: 'reader' });
  expect((await invite(known[0]?.email ?? '')).status).toBe(201);
  expect((await invite(known[1]?.email ?? '')).status).toBe(201);
  expect((await invite(known[0]?.email ?? '')).status, 'an invitation that is renewed is no further one').toBe(201);
  const refusals = [await invite(known[2]?.email ?? ''), await invite(`unknown-${project.id}@example.test`)];
  for (const { body } of refusals) {
    expect(body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('INVITATIONS_PER_PROJECT') },
    });
  }
});
