import { Decimal } from 'decimal.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { closeMonths } from '@/lib/money/invoices/close';
import { platformSpendNow, spendNow } from '@/lib/money/rating/meter';
import { stopTestClock as at, setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import {
  becomes,
  createFlavor,
  imageRow,
  instanceRow,
  projectSince,
  removeRow,
  snapshotRow,
  volumeRow,
} from '@/lib/testing/metered';
import type { TestProject } from '@/lib/testing/world';
import { foldUsage, recordUsage } from './usage-events';

// Resource rows change as workers change them, on a test clock. Prices are those of spec 2.5: vCPU-hour 0.024, GB-hour
// 0.004, GB-month 0.08, egress 0.010 per GB, slice-hour 0.85.

testDatabase();
beforeEach(async () => {
  await setTestClock(0);
  await createCell();
});
afterEach(() => setTestClock(0));

const spent = async (project: TestProject) => (await spendNow(project.id)).toFixed(6);

/** The lines of a month's invoice as `metric amount`, and their total; closes all months that are due. */
async function invoiceOf(project: TestProject, month: string) {
  await closeMonths();
  const rows = await query<{ line: string; total: string }>(sql`
    SELECT l.metric || ' ' || l.amount_usd AS line, i.subtotal_usd AS total FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
    WHERE i.project_id = ${project.id}::uuid AND i.month = ${`${month}-01`}::date ORDER BY l.position`);
  return { lines: rows.map(({ line }) => line), total: rows[0]?.total };
}

describe('a month', () => {
  // 1 vCPU and 0.25 GB for every hour of the month, × 0.024 and × 0.001; 100 GB of disk cost the same in every month.
  test.each([
    { month: '2027-01', end: '2027-02-01', hours: 744, vcpu: '17.86', memory: '0.74', total: '26.60' },
    { month: '2027-02', end: '2027-03-01', hours: 672, vcpu: '16.13', memory: '0.67', total: '24.80' },
    { month: '2028-02', end: '2028-03-01', hours: 696, vcpu: '16.70', memory: '0.70', total: '25.40' },
    { month: '2027-04', end: '2027-05-01', hours: 720, vcpu: '17.28', memory: '0.72', total: '26.00' },
  ])('of $hours hours bills each of them, and 100 GB as 100 GB-months', async ({ month, end, vcpu, memory, total }) => {
    const acme = await projectSince(month);
    const flavor = await createFlavor({ vcpus: 1, ram_gb: 0.25, disk_gb: 100 });
    await at(`${month}-01T00:00:00Z`);
    const web = await instanceRow(acme, flavor);
    await becomes('instances', web, 'active');
    await at(`${end}T00:00:00Z`);
    expect(await spent(acme)).toBe('0.000000');
    await becomes('instances', web, 'deleting');
    await at(`${end}T06:00:00Z`);
    const lines = [`compute_vcpu ${vcpu}`, `compute_memory ${memory}`, 'block_storage 8.00'];
    expect(await invoiceOf(acme, month)).toEqual({ lines, total });
  });

  test('ends at midnight UTC: usage across it is in both, to the second', async () => {
    const acme = await projectSince('2027-12');
    const flavor = await createFlavor({ vcpus: 100, ram_gb: 100, disk_gb: 1 });
    await at('2027-12-31T23:30:00Z');
    const web = await instanceRow(acme, flavor);
    await becomes('instances', web, 'active');
    // 100 vCPU and 100 GB cost 2.8 per hour; 1 GB of disk in a month of 744 hours 0.08 ÷ 744 = 0.000107… per hour.
    await at('2027-12-31T23:59:59Z');
    // 1799 s: 1.399222… + 0.0000537… = 1.399275…
    expect(await spent(acme)).toBe('1.399276');
    await at('2028-01-01T00:00:00Z');
    expect(await spent(acme)).toBe('0.000000');
    await at('2028-01-01T00:45:00Z');
    // 2.1 + 0.0000806…
    expect(await spent(acme)).toBe('2.100081');
    await becomes('instances', web, 'deleting');
    await at('2028-02-01T06:00:00Z');
    // vCPU 50 h × 0.024 = 1.20, memory 50 × 0.004 = 0.20; then 75 h: 1.80 and 0.30. The disk is less than half a cent.
    expect(await invoiceOf(acme, '2027-12')).toEqual({
      lines: ['compute_vcpu 1.20', 'compute_memory 0.20', 'block_storage 0.00'],
      total: '1.40',
    });
    expect(await invoiceOf(acme, '2028-01')).toEqual({
      lines: ['compute_vcpu 1.80', 'compute_memory 0.30', 'block_storage 0.00'],
      total: '2.10',
    });
  });

  test('with a leap day bills the 29th of February', async () => {
    const acme = await projectSince('2028-02');
    const flavor = await createFlavor({ vcpus: 10, ram_gb: 10, disk_gb: 29 });
    await at('2028-02-28T12:00:00Z');
    const web = await instanceRow(acme, flavor);
    await becomes('instances', web, 'active');
    await at('2028-03-01T00:00:00Z');
    await becomes('instances', web, 'deleting');
    await at('2028-03-01T06:00:00Z');
    // 36 h: 360 × 0.024 = 8.64; 360 × 0.004 = 1.44; 29 GB × 36 h ÷ 696 h = 1.5 GB-months × 0.08 = 0.12.
    expect(await invoiceOf(acme, '2028-02')).toEqual({
      lines: ['compute_vcpu 8.64', 'compute_memory 1.44', 'block_storage 0.12'],
      total: '10.20',
    });
  });

  test('starts at its own prices without any event, and an earlier one keeps its cents', async () => {
    const acme = await projectSince('2031-04');
    const flavor = await createFlavor({ vcpus: 10, ram_gb: 1, disk_gb: 1 });
    await execute(sql`INSERT INTO rates (id, metric, effective_from, price_usd, created_by, created_at)
      VALUES (${newId()}::uuid, 'compute_vcpu', '2031-05-01', 0.03, 'test', platform_now())`);
    await at('2031-04-30T00:00:00Z');
    await becomes('instances', await instanceRow(acme, flavor), 'active');
    await at('2031-05-02T00:00:00Z');
    // vCPU 240 h × 0.03 = 7.2; memory 24 h × 0.004 = 0.096; disk 24 h ÷ 744 h × 0.08 = 0.00258…
    expect(await spent(acme)).toBe('7.298581');
    // April: 240 h × 0.024 = 5.76; 0.096; 24 ÷ 720 × 0.08 = 0.00266…
    expect(await invoiceOf(acme, '2031-04')).toEqual({
      lines: ['compute_vcpu 5.76', 'compute_memory 0.10', 'block_storage 0.00'],
      total: '5.86',
    });
  });
});

describe('an instance', () => {
  const big = { vcpus: 10, ram_gb: 20, disk_gb: 72, gpu_slices: 1 };
  // One hour running: 10 × 0.024 + 20 × 0.004 + 1 × 0.85 = 1.17. One hour of its disk in April: 72 × 0.08 ÷ 720 =
  // 0.008.

  test('is billed while active, paused, rebooting and rebuilding; never while provisioning, stopped, failed or deleting', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T08:00:00Z');
    const web = await instanceRow(acme, await createFlavor(big));
    await at('2027-04-10T10:00:00Z');
    expect(await spent(acme)).toBe('0.000000');
    const states = ['active', 'paused', 'active', 'rebooting', 'active', 'rebuilding', 'active'];
    for (const [hour, state] of states.entries()) {
      await at(`2027-04-10T${10 + hour}:00:00Z`);
      await becomes('instances', web, state);
    }
    await at('2027-04-10T17:00:00Z');
    // 7 h × 1.178
    expect(await spent(acme)).toBe('8.246000');
    await becomes('instances', web, 'stopped');
    await at('2027-04-11T17:00:00Z');
    // The disk continues: 24 × 0.008 = 0.192.
    expect(await spent(acme)).toBe('8.438000');
    await becomes('instances', web, 'active');
    await at('2027-04-11T18:00:00Z');
    await becomes('instances', web, 'error');
    // 1.178
    expect(await spent(acme)).toBe('9.616000');
    await at('2027-04-11T20:00:00Z');
    // A failed instance still has its disk: 2 × 0.008.
    expect(await spent(acme)).toBe('9.632000');
    await becomes('instances', web, 'deleting');
    await at('2027-04-12T20:00:00Z');
    await removeRow('instances', web);
    await at('2027-05-01T06:00:00Z');
    // vCPU 80 h × 0.024, memory 160 h × 0.004, slices 8 h × 0.85, disk 34 h × 0.008 = 0.272.
    expect(await invoiceOf(acme, '2027-04')).toEqual({
      lines: ['compute_vcpu 1.92', 'compute_memory 0.64', 'gpu_slice 6.80', 'block_storage 0.27'],
      total: '9.63',
    });
  });

  test('that failed before its first start costs nothing, not even its disk', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T00:00:00Z');
    const web = await instanceRow(acme, await createFlavor(big));
    await becomes('instances', web, 'error');
    await at('2027-04-20T00:00:00Z');
    await becomes('instances', web, 'deleting');
    await removeRow('instances', web);
    expect(await spent(acme)).toBe('0.000000');
    expect(await query(sql`SELECT FROM spans WHERE resource_id = ${web}::uuid`)).toEqual([]);
  });

  test('resized in mid-month is billed for each size for its time', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T00:00:00Z');
    const web = await instanceRow(acme, await createFlavor(big));
    await becomes('instances', web, 'active');
    await at('2027-04-10T06:00:00Z');
    const larger = await createFlavor({ vcpus: 16, ram_gb: 64, disk_gb: 144 });
    await execute(sql`UPDATE instances SET flavor_id = ${larger}::uuid WHERE id = ${web}::uuid`);
    await at('2027-04-10T16:00:00Z');
    // 6 h × 1.178 = 7.068; then 10 h × (0.384 + 0.256 + 0.016) = 6.56.
    expect(await spent(acme)).toBe('13.628000');
  });

  test('found to be lost is billed until the loss, and an issued invoice stays', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-30T20:00:00Z');
    const web = await instanceRow(acme, await createFlavor(big));
    await becomes('instances', web, 'active');
    const lose = (since: string) =>
      execute(
        sql`UPDATE instances SET lost_at = ${new Date(since)}::timestamptz, status = 'rebooting' WHERE id = ${web}::uuid`,
      );
    await at('2027-05-01T06:00:00Z');
    // April: 4 h × 1.17 + 4 × 0.008.
    expect((await invoiceOf(acme, '2027-04')).total).toBe('4.71');
    await at('2027-05-01T10:00:00Z');
    // Gone since the evening: May costs only its disk, 10 h × 72 × 0.08 ÷ 744 = 0.077419…
    await lose('2027-04-30T22:00:00Z');
    expect(await spent(acme)).toBe('0.077419');
    await at('2027-05-01T11:00:00Z');
    // Back since 10:00: 1.17 and 0.0851612….
    expect(await spent(acme)).toBe('1.255161');
    expect((await invoiceOf(acme, '2027-04')).total).toBe('4.71');
  });
});

describe('storage', () => {
  test('a volume is billed at its size from available until deleting, and at the old size while it grows', async () => {
    const acme = await projectSince('2027-04');
    // 90 GB cost 90 × 0.08 ÷ 720 = 0.01 an hour.
    await at('2027-04-02T00:00:00Z');
    const data = await volumeRow(acme, 90);
    await at('2027-04-02T10:00:00Z');
    await becomes('volumes', data, 'available');
    await at('2027-04-02T20:00:00Z');
    await becomes('volumes', data, 'attaching');
    await becomes('volumes', data, 'in_use');
    expect(await spent(acme)).toBe('0.100000');
    await at('2027-04-03T06:00:00Z');
    await execute(sql`UPDATE volumes SET status = 'resizing', size_gb = 180 WHERE id = ${data}::uuid`);
    await at('2027-04-03T08:00:00Z');
    // 22 h × 0.01
    expect(await spent(acme)).toBe('0.220000');
    await becomes('volumes', data, 'in_use');
    await at('2027-04-03T10:00:00Z');
    // 2 h × 0.02
    expect(await spent(acme)).toBe('0.260000');
    await becomes('volumes', data, 'available');
    await becomes('volumes', data, 'deleting');
    await at('2027-04-10T00:00:00Z');
    await removeRow('volumes', data);
    expect(await spent(acme)).toBe('0.260000');
  });

  test('a failed volume costs nothing', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-02T00:00:00Z');
    const data = await volumeRow(acme, 90);
    await becomes('volumes', data, 'error');
    await at('2027-04-12T00:00:00Z');
    expect(await spent(acme)).toBe('0.000000');
  });

  test('a snapshot is billed at the size of its volume at the time, in addition to the volume', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-02T00:00:00Z');
    const data = await volumeRow(acme, 90);
    await becomes('volumes', data, 'available');
    await at('2027-04-02T10:00:00Z');
    const before = await snapshotRow(acme, data);
    await at('2027-04-02T11:00:00Z');
    await becomes('snapshots', before, 'available');
    await execute(sql`UPDATE volumes SET size_gb = 180 WHERE id = ${data}::uuid`);
    await at('2027-04-02T21:00:00Z');
    // Volume 11 h × 0.01 + 10 h × 0.02; snapshot 10 h × 0.01.
    expect(await spent(acme)).toBe('0.410000');
    await becomes('snapshots', before, 'deleting');
    await at('2027-04-02T22:00:00Z');
    expect(await spent(acme)).toBe('0.430000');
  });

  test('an image is metered by its bytes and free: the contract has no price for it', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-02T00:00:00Z');
    const own = await imageRow(acme, 3n * 2n ** 30n);
    await becomes('images', own, 'active');
    await at('2027-04-12T00:00:00Z');
    await becomes('images', own, 'deleting');
    expect(await spent(acme)).toBe('0.000000');
    expect(
      await query(sql`SELECT metric, trim_scale(quantity) AS quantity, ended_at - started_at = interval '10 days' AS days
      FROM spans WHERE resource_id = ${own}::uuid`),
    ).toEqual([{ metric: 'image_storage', quantity: String(3 * 2 ** 30), days: true }]);
    await at('2027-05-02T00:00:00Z');
    expect(await invoiceOf(acme, '2027-04')).toEqual({ lines: [], total: undefined });
  });
});

describe('a clock that steps', () => {
  // 90,000 GB cost 7,200 per month: 10 per hour in April.
  async function volume(project: TestProject): Promise<string> {
    const data = await volumeRow(project, 90_000);
    await becomes('volumes', data, 'available');
    return data;
  }

  test('back removes nothing and bills nothing twice: metering continues from what was metered', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T10:00:00Z');
    const data = await volume(acme);
    await at('2027-04-10T11:00:00Z');
    await becomes('volumes', data, 'error');
    expect(await spent(acme)).toBe('10.000000');
    await at('2027-04-10T10:30:00Z');
    expect(await spent(acme)).toBe('10.000000');
    // Available and gone again, within an hour that was already billed.
    await becomes('volumes', data, 'available');
    await at('2027-04-10T10:45:00Z');
    expect(await spent(acme)).toBe('10.000000');
    await becomes('volumes', data, 'error');
    await becomes('volumes', data, 'available');
    await at('2027-04-10T11:30:00Z');
    expect(await spent(acme)).toBe('15.000000');
    await becomes('volumes', data, 'deleting');
    await at('2027-05-01T06:00:00Z');
    expect((await invoiceOf(acme, '2027-04')).total).toBe('15.00');
  });

  test('forward bills the time that it shows', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T10:00:00Z');
    await volume(acme);
    await at('2027-04-10T10:00:00.001Z');
    // A millisecond: 10 ÷ 3,600,000.
    expect((await spendNow(acme.id)).toFixed(9)).toBe('0.000002778');
    await at('2027-07-10T10:00:00Z');
    // July until the 10th at 10:00: 226 of 744 hours.
    expect(await spent(acme)).toBe('2187.096774');
    // April: 494 h × 10.
    for (const [month, total] of [
      ['2027-04', '4940.00'],
      ['2027-05', '7200.00'],
      ['2027-06', '7200.00'],
    ] as const) {
      expect((await invoiceOf(acme, month)).total).toBe(total);
    }
  });
});

test('the total spend equals the sum of all projects', async () => {
  const [acme, other] = [await projectSince('2029-04'), await projectSince('2029-04')];
  await at('2029-04-10T10:00:00Z');
  const flavor = await createFlavor({ vcpus: 10, ram_gb: 10, disk_gb: 1 });
  for (const project of [acme, other]) await becomes('instances', await instanceRow(project, flavor), 'active');
  await at('2029-04-10T20:00:00Z');
  // Includes projects of other tests.
  const projects = await query<{ id: string }>(sql`SELECT id FROM projects`);
  const each = await Promise.all(projects.map(({ id }) => spendNow(id)));
  const { month, spend } = await platformSpendNow();
  expect(month).toBe('2029-04');
  expect(spend.gt((await spendNow(acme.id)).times(2))).toBe(true);
  expect(spend.toFixed(12)).toBe(Decimal.sum(...each).toFixed(12));
});

describe('a usage event', () => {
  const left = (project: TestProject, key: string, gb: bigint, occurred: string) =>
    recordUsage([
      {
        key,
        project_id: project.id,
        metric: 'network_egress',
        resource_type: 'instance',
        resource_id: project.id,
        resource_name: 'web',
        quantity: gb * 2n ** 30n,
        occurred_at: new Date(occurred),
      },
    ]);

  test('is billed once, however often it is recorded', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T10:00:00Z');
    for (let time = 0; time < 3; time++) {
      await left(acme, 'once', 250n, '2027-04-10T09:00:00Z');
      await foldUsage();
    }
    await Promise.all([foldUsage(), foldUsage(), left(acme, 'once', 250n, '2027-04-10T09:00:00Z')]);
    await foldUsage();
    expect(await spent(acme)).toBe('2.500000');
  });

  test('is counted in full under any concurrency', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-10T10:00:00Z');
    const gb = {
      metric: 'network_egress',
      resource_type: 'instance',
      resource_id: acme.id,
      resource_name: 'web',
    } as const;
    const events = Array.from({ length: 4500 }, (_, n) => ({ key: `much ${n}`, project_id: acme.id, ...gb }));
    await recordUsage(
      events.map((event) => ({ ...event, quantity: 2n ** 30n, occurred_at: new Date('2027-04-10T09:00:00Z') })),
    );
    expect(await foldUsage()).toBe(4500);
    expect(await foldUsage()).toBe(0);
    expect(await spent(acme)).toBe('45.000000');
  });

  test('recorded within hours after the month is on its invoice; later ones are on the next invoice, and in that month’s spend at once', async () => {
    const acme = await projectSince('2027-04');
    await at('2027-04-30T23:00:00Z');
    await left(acme, 'a', 100n, '2027-04-30T22:59:00Z');
    await foldUsage();
    expect(await spent(acme)).toBe('1.000000');
    await at('2027-05-01T05:59:00Z');
    await left(acme, 'b', 200n, '2027-04-30T23:59:59.999Z');
    await left(acme, 'c', 400n, '2027-05-01T00:00:00Z');
    await foldUsage();
    expect(await spent(acme)).toBe('4.000000');
    await at('2027-05-01T06:00:00Z');
    expect(await invoiceOf(acme, '2027-04')).toEqual({ lines: ['network_egress 3.00'], total: '3.00' });
    await left(acme, 'd', 800n, '2027-04-30T12:00:00Z');
    await foldUsage();
    expect(await spent(acme)).toBe('12.000000');
    await at('2027-06-01T06:00:00Z');
    expect(await invoiceOf(acme, '2027-05')).toEqual({
      lines: ['network_egress 4.00', 'network_egress 8.00'],
      total: '12.00',
    });
  });
});
