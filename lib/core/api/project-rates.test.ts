import { beforeEach, expect, test } from 'vitest';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { api, createMember, createProject, type TestProject } from '@/lib/testing/world';

Object.assign(process.env, {
  RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: 1,
  RATE_LIMIT_PROJECT_WRITES_BURST: 3,
  RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE: 1,
  RATE_LIMIT_PROJECT_HEAVY_BURST: 2,
});

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  acme = await createProject('acme');
});

let made = 0;
const write = (token: string) =>
  call('POST', '/vault/secrets', { token, body: { name: `s-${++made}`, type: 'opaque', payload: 'x' } });

test('callers of one project share its rate of changes, and another project has its own', async () => {
  const second = await createMember(acme.id, 'member');
  const first = await write(acme.users.member.token);
  expect(first.status).toBe(201);
  expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['1', '2']);
  expect((await write(second.token)).status).toBe(201);
  expect((await write(acme.users.admin.token)).status).toBe(201);

  const refused = await write(second.token);
  expect(refused.body).toMatchObject({
    error: {
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/^Too many changes in this project\. Try again in \d+ s\./),
    },
  });
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(50);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(refused.headers.get('ratelimit-reset')).toBe(String(wait));

  const other = await createProject('other');
  expect((await write(other.users.member.token)).status).toBe(201);
});

test('reads, calls about one’s own account and refused changes do not count', async () => {
  for (let index = 0; index < 5; index++) {
    expect((await write(acme.users.reader.token)).status).toBe(403);
    expect((await call('GET', '/vault/secrets', { token: acme.users.member.token })).status).toBe(200);
    await call('POST', '/auth/2fa/verify', { token: acme.users.member.token, body: { code: '000000' } });
  }
  expect((await write(acme.users.member.token)).status).toBe(201);
});

test('heavy requests of a project have a rate of their own', async () => {
  const download = (token: string) => call('GET', '/audit/export', { token });
  const { member, admin } = acme.users;
  expect((await download(member.token)).status).toBe(403);
  expect([(await download(admin.token)).status, (await download(admin.token)).status]).toEqual([200, 200]);
  const refused = await download(admin.token);
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({
    error: { message: expect.stringMatching(/^Too many exports, documents or uploads in this project\./) },
  });
  expect((await write(admin.token)).status).toBe(201);
  expect((await call('GET', '/vault/secrets', { token: admin.token })).status).toBe(200);
});

test('streamed documents and files are heavy, and no read counts as a change', () => {
  const tenant = endpoints.filter(({ realm }) => realm === 'tenant');
  const heavy = tenant.filter(({ rate }) => rate === 'heavy').map(({ operation_id }) => operation_id);
  expect(heavy.sort()).toEqual(['downloadInvoice', 'exportAudit', 'exportUsage', 'publishLayerVersion', 'uploadImage']);
  expect(tenant.filter(({ method, rate }) => method === 'GET' && rate === 'write')).toEqual([]);
  const reads = tenant.filter(({ method, form, rate }) => method !== 'GET' && !form && rate === 'read');
  // A call of a function changes nothing of the platform's.
  expect(reads.map(({ operation_id }) => operation_id)).toEqual(['invokeFunction']);
});
