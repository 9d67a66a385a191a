import { beforeEach, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { api, createMember, createProject, type TestProject } from '@/lib/testing/world';

Object.assign(process.env, { RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: 1, RATE_LIMIT_PROJECT_WRITES_BURST: 3 });

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

test('reads, the caller’s own account and refused changes take nothing of it', async () => {
  for (let index = 0; index < 5; index++) {
    expect((await write(acme.users.reader.token)).status).toBe(403);
    expect((await call('GET', '/vault/secrets', { token: acme.users.member.token })).status).toBe(200);
    await call('POST', '/auth/2fa/verify', { token: acme.users.member.token, body: { code: '000000' } });
  }
  expect((await write(acme.users.member.token)).status).toBe(201);
});
