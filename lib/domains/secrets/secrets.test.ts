import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
});

const create = (body: object, token = acme.users.member.token, headers = {}) =>
  call('POST', '/vault/secrets', { token, body, headers });

describe('a secret', () => {
  test('comes back from its payload as it was given, and never from a list', async () => {
    const created = await create({ name: 'db', type: 'passphrase', payload: 'correct horse' });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    const payload = await call('GET', `/vault/secrets/${id}/payload`, { token: acme.users.member.token });
    expect(payload.body).toEqual({ id, type: 'passphrase', payload: 'correct horse', payload_encoding: 'utf8' });
    const list = await call('GET', '/vault/secrets', { token: acme.users.reader.token });
    expect(list.text).toContain(id);
    expect(list.text).not.toContain('correct horse');
  });

  test('is nowhere in the database in the clear', async () => {
    await create({ name: 'canary', type: 'opaque', payload: 'CANARY-7f3a' });
    const rows = await query<{ all: string }>(
      sql`SELECT (SELECT string_agg(s::text, '') FROM secrets s) || (SELECT string_agg(a::text, '') FROM audit_entries a) AS all`,
    );
    expect(rows[0]?.all).toContain('canary');
    expect(rows[0]?.all).not.toContain('CANARY-7f3a');
    expect(rows[0]?.all).not.toContain(Buffer.from('CANARY-7f3a').toString('hex'));
  });
});

test('a repeated Idempotency-Key makes one secret, also when both requests run at once', async () => {
  const body = { name: 'once', type: 'opaque', payload: 'x' };
  const headers = { 'Idempotency-Key': 'k-1' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(body, acme.users.member.token, headers)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(7);
  const reused = await create({ ...body, name: 'twice' }, acme.users.member.token, headers);
  expect(reused.body).toMatchObject({ error: { code: 'IDEMPOTENCY_KEY_REUSED', status: 409 } });
});

test('a name is taken once', async () => {
  expect((await create({ name: 'taken', type: 'opaque', payload: 'x' })).status).toBe(201);
  expect((await create({ name: 'taken', type: 'opaque', payload: 'x' })).body).toMatchObject({
    error: { code: 'CONFLICT' },
  });
  expect((await create({ name: 'taken', type: 'opaque', payload: 'x' }, other.users.member.token)).status).toBe(201);
});

test('a list shows those of a type, of a name, or with a part of it', async () => {
  for (const [name, type] of [
    ['list-one', 'passphrase'],
    ['list-two', 'opaque'],
  ])
    expect((await create({ name, type, payload: 'x' })).status).toBe(201);
  const names = async (filter: string) => {
    const { body } = await call('GET', `/vault/secrets?sort=name&${filter}`, { token: acme.users.reader.token });
    return (body as { name: string }[]).map(({ name }) => name);
  };
  expect(await names('search=LIST-')).toEqual(['list-one', 'list-two']);
  expect(await names('search=list-&type=opaque')).toEqual(['list-two']);
  expect(await names('name=list-one')).toEqual(['list-one']);
  expect(await names('name=list-')).toEqual([]);
});

test('a secret expires when it says so, and is never made expired', async () => {
  const expires_at = new Date(now().getTime() + 60_000).toISOString();
  const { body } = await create({ name: 'short', type: 'opaque', payload: 'x', expires_at });
  expect(body).toMatchObject({ status: 'active', expires_at });
  await setTestClock(120_000);
  const list = await call('GET', '/vault/secrets?name=short', { token: acme.users.reader.token });
  expect(list.body).toMatchObject([{ status: 'expired', expires_at }]);
  expect((await create({ name: 'late', type: 'opaque', payload: 'x', expires_at })).body).toMatchObject({
    error: { message: 'expires_at: must be in the future.' },
  });
  await setTestClock(0);
});

test('another tenant can neither read nor delete it', async () => {
  const { id } = (await create({ name: 'mine', type: 'opaque', payload: 'x' })).body as { id: string };
  const token = other.users.admin.token;
  expect((await call('GET', `/vault/secrets/${id}/payload`, { token })).status).toBe(404);
  expect((await call('DELETE', `/vault/secrets/${id}`, { token })).status).toBe(404);
  expect((await call('DELETE', `/vault/secrets/${id}`, { token: acme.users.member.token })).status).toBe(204);
  expect((await call('DELETE', `/vault/secrets/${id}`, { token: acme.users.member.token })).status).toBe(404);
});

test('quota numbers have a decimal point in the text', async () => {
  const { text } = await call('GET', '/tenant/quota', { token: acme.users.reader.token });
  expect(text).toContain('"vcpus":{"limit":64.0,"used":0.0,"available":64.0,"unit":"vCPUs"}');
});
