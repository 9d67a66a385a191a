import { afterEach, beforeEach, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { closeMonths } from '@/lib/money/invoices/close';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { holds, testResource } from '@/lib/testing/money';
import { api, createProject, signIn, type TestProject } from '@/lib/testing/world';
import type { Breakdown } from './schema';

testDatabase();
const call = api();
let acme: TestProject;

beforeEach(async () => {
  await setTestClock(0);
  await execute(sql`UPDATE project_accounts SET billed_until = '2100-01-01'`);
  acme = await createProject('acme');
  await execute(sql`UPDATE projects SET created_at = '2027-04-01' WHERE id = ${acme.id}::uuid`);
  await stopTestClock('2027-04-10T00:00:00Z');
});
afterEach(() => setTestClock(0));

/** Tags a resource. Where it has only usage, a secret by its id stands in for it. */
async function tag(id: string, key: string, value: string): Promise<void> {
  await execute(sql`INSERT INTO secrets (id, project_id, name, type, payload_encoding, ciphertext, sealed_data_key, size_bytes, created_at, updated_at)
    VALUES (${id}::uuid, ${acme.id}::uuid, ${id}::text, 'opaque', 'utf8', '', '', 1, platform_now(), platform_now()) ON CONFLICT (id) DO NOTHING`);
  await execute(sql`INSERT INTO resource_tags (project_id, resource_id, key, value)
    VALUES (${acme.id}::uuid, ${id}::uuid, ${key}::text, ${value}::text)
    ON CONFLICT (resource_id, key) DO UPDATE SET value = excluded.value`);
}

async function byTag(key: string, month = '2027-04') {
  const token = await signIn(acme.users.reader.id);
  const { status, body, text } = await call('GET', `/billing/breakdown?group_by=tag:${key}&month=${month}`, { token });
  if (status !== 200) throw new Error(text);
  const { total_usd, items } = body as Breakdown;
  // Millionths, as integers.
  const sum = items.reduce((all, { amount_usd }) => all + Math.round((amount_usd ?? 0) * 1e6), 0);
  expect(sum).toBe(Math.round(total_usd * 1e6));
  return items.map((item) => [item.tag?.value, item.amount_usd]);
}

/** Three machines of 1, 2 and 3 vCPUs, on for a hundred hours from now. */
async function threeMachines() {
  const machines = [
    testResource(acme.id, 'one'),
    testResource(acme.id, 'two'),
    testResource(acme.id, 'three'),
  ] as const;
  for (const [index, machine] of machines.entries()) await holds(machine, 'compute_vcpu', `${index + 1}`);
  await stopTestClock('2027-04-14T04:00:00Z');
  for (const machine of machines) await holds(machine, 'compute_vcpu', '0');
  return machines;
}

test('costs are divided by the values of a tag, and resources without it are a group of their own', async () => {
  const [one, two] = await threeMachines();
  await tag(one.id, 'team:name', 'search');
  await tag(two.id, 'team:name', 'search');
  await tag(two.id, 'env', 'production');
  // 0.024 × 100 h × vCPUs
  expect(await byTag('team:name')).toEqual([
    ['search', 7.2],
    [null, 7.2],
  ]);
  expect(await byTag('env')).toEqual([
    [null, 9.6],
    ['production', 4.8],
  ]);
  expect(await byTag('unused')).toEqual([[null, 14.4]]);
});

test('the current month has the tags of now, an invoiced month those of its invoice', async () => {
  const [one] = await threeMachines();
  await tag(one.id, 'env', 'staging');
  await tag(one.id, 'env', 'production');
  expect(await byTag('env')).toEqual([
    [null, 12],
    ['production', 2.4],
  ]);
  await stopTestClock('2027-05-02T00:00:00Z');
  expect(await closeMonths()).toBe(1);
  await tag(one.id, 'env', 'archive');
  expect(await byTag('env')).toEqual([
    [null, 12],
    ['production', 2.4],
  ]);
  expect(await byTag('env', '2027-05')).toEqual([]);
});

test.each(['env', 'tag:', 'tag:Env', 'resource'])('group_by=%s is refused', async (text) => {
  const token = await signIn(acme.users.reader.id);
  expect((await call('GET', `/billing/breakdown?group_by=${text}`, { token })).status).toBe(400);
});
