import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, signIn, type TestProject } from '@/lib/testing/world';
import type { Pricing } from './schema';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});
afterEach(() => setTestClock(0));

const addRate = (metric: string, month: string, price: string) =>
  execute(sql`INSERT INTO rates (id, metric, effective_from, price_usd, created_by, created_at)
    VALUES (${newId()}::uuid, ${metric}::text, ${`${month}-01`}::date, ${price}::numeric, 'test', platform_now())`);
const pricing = async () => {
  const token = await signIn(acme.users.reader.id);
  return (await call('GET', '/billing/pricing', { token })).body as Pricing;
};
const vcpu = async () => (await pricing()).items.find(({ metric }) => metric === 'compute_vcpu');

describe('the rate card', () => {
  test('equals the contract’s (spec 2.5), digit by digit, and has no other prices', async () => {
    const { currency, items } = await pricing();
    expect(currency).toBe('USD');
    expect(
      Object.fromEntries(items.map(({ per, name, unit_price_usd }) => [`${name}: ${per}`, unit_price_usd])),
    ).toEqual({
      'vCPU: vCPU-hour': '0.024',
      'Memory: GB-hour': '0.004',
      'GPU slices: slice-hour': '0.85',
      'Block storage: GB-month': '0.08',
      'Object storage: GB-month': '0.015',
      'Image storage: GB-month': null,
      'Network egress: GB': '0.01',
      'PostgreSQL: instance-hour': '0.045',
      'Valkey: instance-hour': '0.03',
      'MySQL: instance-hour': null,
      'MongoDB: instance-hour': null,
      'Qdrant: instance-hour': null,
      'Function invocations: 100K calls': '0.02',
      'Prompt tokens: 1M tokens': '0.2',
      'Completion tokens: 1M tokens': '0.6',
    });
    expect(items[0]).toMatchObject({ unit: 'vCPU', basis: 'hour', effective_from: '2025-01', next: null });
  });

  test('shows the coming price, and switches to it with the month (UTC); of two for a month the later one counts', async () => {
    await addRate('compute_vcpu', '2028-03', '0.03');
    await addRate('compute_vcpu', '2028-03', '0.0265');
    await addRate('compute_vcpu', '2028-05', '0.02');
    await stopTestClock('2028-02-29T23:59:59.999Z');
    expect(await vcpu()).toMatchObject({
      unit_price_usd: '0.024',
      effective_from: '2025-01',
      next: { unit_price_usd: '0.0265', effective_from: '2028-03' },
    });
    await stopTestClock('2028-03-01T00:00:00Z');
    expect(await vcpu()).toMatchObject({
      unit_price_usd: '0.0265',
      effective_from: '2028-03',
      next: { unit_price_usd: '0.02', effective_from: '2028-05' },
    });
  });
});
