import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

const github = {
  name: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  audience: 'https://cloud.example.org',
  conditions: { sub: ['repo:acme/site:*'] },
  max_role: 'member',
};
const create = (changes: object = {}, project = acme) =>
  call('POST', '/iam/providers', { token: project.users.admin.token, body: { ...github, ...changes } });

describe('an identity provider', () => {
  test('is returned as created, by the create and the list', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 201, body: { ...github, jwks_uri: null } });
    const { body } = await call('GET', '/iam/providers?name=github', { token: acme.users.admin.token });
    expect(body).toEqual([created.body]);
  });

  test('is found by its issuer, its name, or a part of it', async () => {
    const project = await createProject();
    await create({ name: 'build farm' }, project);
    await create({ name: 'cluster', issuer: 'https://cluster.example.test' }, project);
    const names = async (query: string) => {
      const { body } = await call('GET', `/iam/providers?${query}`, { token: project.users.admin.token });
      return (body as { name: string }[]).map(({ name }) => name);
    };
    expect(await names('sort=name')).toEqual(['build farm', 'cluster']);
    expect(await names('issuer=https://cluster.example.test')).toEqual(['cluster']);
    expect(await names('issuer=https://cluster')).toEqual([]);
    expect(await names('search=FARM')).toEqual(['build farm']);
    expect(await names('name=build')).toEqual([]);
  });

  test('has a unique name in the project', async () => {
    expect((await create({ name: 'twice' })).status).toBe(201);
    expect(await create({ name: 'twice' })).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect((await create({ name: 'twice' }, await createProject())).status).toBe(201);
  });

  test('is gone after its delete, in its own project only', async () => {
    const { id } = (await create({ name: 'short' })).body as { id: string };
    const other = await createProject('other');
    const remove = async (project: TestProject) =>
      (await call('DELETE', `/iam/providers/${id}`, { token: project.users.admin.token })).status;
    expect(await remove(other)).toBe(404);
    expect(await remove(acme)).toBe(204);
    expect(await remove(acme)).toBe(404);
  });

  test.each([
    ['issuer', { issuer: 'http://issuer.example.test' }],
    ['issuer', { issuer: 'issuer.example.test' }],
    ['issuer', { issuer: 'https://10.0.0.1' }],
    ['issuer', { issuer: 'https://[::ffff:127.0.0.1]' }],
    ['issuer', { issuer: 'https://user:secret@issuer.example.test' }],
    ['issuer', { issuer: 'https://issuer.example.test?x=1' }],
    ['issuer', { issuer: 'https://issuer.example.test#x' }],
    ['jwks_uri', { jwks_uri: 'https://169.254.169.254/keys' }],
    ['jwks_uri', { jwks_uri: 'file:///etc/passwd' }],
    ['conditions', { conditions: {} }],
    ['conditions', { conditions: { sub: [] } }],
    ['conditions', { conditions: { sub: 'repo:*' } }],
    ['max_role', { max_role: 'owner' }],
  ])('with a wrong %s is refused by field name: %j', async (field, changes) => {
    const answer = await create({ name: 'wrong', ...changes });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(field);
  });

  test('is limited to one hundred per project', async () => {
    const project = await createProject();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => create({ name: `p${index}` }, project)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await create({ name: 'p100' }, project)).status).toBe(409);
  });
});
