import { beforeEach, expect, test } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { becomes } from '@/lib/testing/metered';
import { spend } from '@/lib/testing/money';
import { api, createProject, type TestProject } from '@/lib/testing/world';

// No worker runs here: an instance stays as the API admitted it.

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
});

const volume = async () =>
  idOf(
    await call('POST', '/storage/volumes', {
      token: acme.users.member.token,
      body: { name: 'before', size_gb: 1 },
    }),
  );
const resources = {
  '/compute/instances': { type: 'instance', create: async () => idOf(await launch(call, acme, { name: 'before' })) },
  '/storage/volumes': { type: 'volume', create: volume },
  '/network/networks': { type: 'network', create: () => defaultNetwork(acme) },
};
const rename = (path: string, name: string) => call('PATCH', path, { token: acme.users.member.token, body: { name } });
const read = async (path: string) => (await call('GET', path, { token: acme.users.reader.token })).body;

test.each(Object.entries(resources))('%s: a new name appears everywhere at once', async (path, { type, create }) => {
  const id = await create();
  const before = await read(`${path}/${id}`);
  const renamed = await rename(`${path}/${id}`, '  After all ');
  expect(renamed.status).toBe(200);
  const { updated_at } = renamed.body as { updated_at: string };
  expect(renamed.body).toEqual({ ...(before as object), name: 'After all', updated_at });
  expect(await read(`${path}/${id}`)).toEqual(renamed.body);
  expect(await read(`${path}?name=After%20all`)).toEqual([renamed.body]);
  const entries =
    await query(sql`SELECT action, resource_type, resource_name, details->>'former_name' IS NOT NULL AS former
    FROM audit_entries WHERE resource_id = ${id}::text ORDER BY id DESC LIMIT 1`);
  const entry = { action: `${type}.rename`, resource_type: type, resource_name: 'After all', former: true };
  expect(entries).toEqual([entry]);
  const hints = await query(sql`SELECT topic FROM changes WHERE resource_id = ${id}::text ORDER BY id DESC LIMIT 1`);
  expect(hints).toEqual([{ topic: type }]);
});

test('an instance keeps its hostname when it is renamed', async () => {
  const id = idOf(await launch(call, acme, { name: 'web' }));
  expect((await rename(`/compute/instances/${id}`, 'database')).body).toMatchObject({ hostname: 'web' });
});

test('usage of a renamed resource shows its new name, including earlier usage', async () => {
  const id = await volume();
  await becomes('volumes', id, 'available');
  await rename(`/storage/volumes/${id}`, 'a new name');
  await becomes('volumes', id, 'deleting');
  const names = await query(
    sql`SELECT resource_name, ended_at IS NULL AS open FROM spans WHERE resource_id = ${id}::uuid`,
  );
  expect(names).toEqual([{ resource_name: 'a new name', open: false }]);
});

test('a frozen budget does not prevent renaming', async () => {
  const id = await volume();
  const body = { monthly_limit_usd: 1, enable_quota_freeze: true };
  await call('PUT', '/billing/budget', { token: acme.users.admin.token, body });
  await spend(acme.id, 2_000_000);
  const refused = await call('POST', '/storage/volumes', {
    token: acme.users.member.token,
    body: { name: 'x', size_gb: 1 },
  });
  expect(refused.status).toBe(402);
  expect((await rename(`/storage/volumes/${id}`, 'renamed')).status).toBe(200);
});
