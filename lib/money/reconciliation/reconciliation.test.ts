import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { closeMonths } from '@/lib/money/invoices/close';
import { foldUsage, recordUsage, type UsageEvent } from '@/lib/money/metering/usage-events';
import { spendNow } from '@/lib/money/rating/meter';
import { billingRules } from '@/lib/platform/checks';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
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
import { seededRandom } from '@/lib/testing/random';
import { api, createUser, signIn, type TestProject } from '@/lib/testing/world';
import { compare } from './compare';
import { reconciliationJobs } from './service';

testDatabase();
const call = api();
let root: string;
let flavor: string;
beforeAll(async () => {
  root = (await createUser('root@example.test', 'backoffice')).id;
  await createCell();
  flavor = await createFlavor({ vcpus: 2, ram_gb: 8, disk_gb: 40, gpu_slices: 1 });
});
afterEach(() => setTestClock(0));

const MARCH = new Date('2027-03-01T00:00:00Z');
const END = new Date('2027-12-31T00:00:00Z');

/** The differences of this test's project, without those of other tests. */
async function differencesOf({ id }: TestProject, from = MARCH, to = END) {
  return (await compare(billingRules, from, to)).differences.filter(({ project_id }) => project_id === id);
}

const event = (project: TestProject, key: string, quantity = 1000): UsageEvent => ({
  key,
  project_id: project.id,
  metric: 'network_egress',
  resource_type: 'instance',
  resource_id: project.id,
  resource_name: 'web',
  quantity,
  occurred_at: new Date('2027-03-02T00:00:00Z'),
});

/** An instance, a volume and some traffic that begin and end in March. */
async function march(name: string) {
  await stopTestClock('2027-03-01T00:00:00Z');
  const project = await projectSince('2027-03', name);
  const web = await instanceRow(project, flavor);
  const data = await volumeRow(project, 100);
  await stopTestClock('2027-03-01T00:01:00Z');
  await becomes('instances', web, 'active');
  await becomes('volumes', data, 'available');
  await stopTestClock('2027-03-03T00:00:00Z');
  await recordUsage([event(project, `${name}:1`), event(project, `${name}:2`)]);
  await foldUsage();
  await becomes('instances', web, 'stopped');
  await stopTestClock('2027-03-05T00:00:00Z');
  await becomes('instances', web, 'active');
  await stopTestClock('2027-03-07T12:00:00Z');
  await becomes('instances', web, 'deleting');
  await removeRow('instances', web);
  await stopTestClock('2027-03-10T00:00:00Z');
  return { project, web, data };
}

test('every metered resource type has its own rule here', async () => {
  const metered = await query<{ type: string }>(sql`
    SELECT DISTINCT split_part(encode(t.tgargs, 'escape'), '\\000', 1) AS type
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.proname = 'resource_moved' ORDER BY 1`);
  expect(metered.length).toBeGreaterThan(0);
  const ruled = new Set(billingRules.map(({ resource_type }) => resource_type));
  expect(metered.map(({ type }) => type)).toEqual([...ruled].sort());
});

test('the metering triggers cover every change, including losses', async () => {
  const incomplete = await query<{ table: string }>(sql`
    SELECT tgrelid::regclass::text AS table FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.proname = 'resource_moved' AND (
      pg_get_triggerdef(t.oid) !~ 'AFTER INSERT OR DELETE OR UPDATE ON [^ ]+ FOR EACH ROW EXECUTE' OR t.tgenabled <> 'O'
      OR (t.tgnargs = 2) <> EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attname = 'lost_at'))`);
  expect(incomplete).toEqual([]);
});

describe('there is no difference', () => {
  test('over the life of an instance, a volume and its traffic, for any part of the period', async () => {
    const { project } = await march('whole');
    expect(await differencesOf(project)).toEqual([]);
    for (const [from, to] of [
      ['2027-03-02T07:00:00Z', '2027-03-06T03:30:00Z'],
      ['2027-03-04T00:00:00Z', '2027-03-04T12:00:00Z'],
      ['2027-03-08T00:00:00Z', '2027-03-09T00:00:00Z'],
    ] as const) {
      expect(await differencesOf(project, new Date(from), new Date(to))).toEqual([]);
    }
    expect((await compare(billingRules, MARCH, END)).resources).toBeGreaterThanOrEqual(2);
  });

  const seeds = Array.from({ length: 12 }, (_, position) => 20261121 + position);
  test.each(seeds)(
    'through a random history with losses, resizes, deletes and closed months (seed %d)',
    async (seed) => {
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]): Item => {
        const item = items[Math.floor(random() * items.length)];
        if (item === undefined) throw new Error('nothing to pick from');
        return item;
      };
      let clock = MARCH.getTime();
      const later = async () => {
        clock += Math.floor(random() * 40 * 3_600_000);
        await stopTestClock(new Date(clock).toISOString());
      };
      await stopTestClock(MARCH.toISOString());
      const project = await projectSince('2027-03', `random-${seed}`);
      const machines = await Promise.all([1, 2].map(() => instanceRow(project, flavor)));
      const volumes = await Promise.all([10, 20].map((size) => volumeRow(project, size)));
      const image = await imageRow(project, 3_000_000_000n);
      const snapshot = await snapshotRow(project, pick(volumes));
      const gone = new Set<string>();
      const remove = async (table: 'instances' | 'images' | 'snapshots', id: string) => {
        gone.add(id);
        await removeRow(table, id);
      };
      for (let step = 0; step < 45; step++) {
        await later();
        const machine = pick(machines);
        const volume = pick(volumes);
        const kind = Math.floor(random() * 10);
        if (kind < 4 && !gone.has(machine)) {
          await becomes(
            'instances',
            machine,
            pick(['active', 'active', 'stopped', 'paused', 'rebooting', 'error', 'deleting']),
          );
        } else if (kind === 4 && !gone.has(machine)) {
          const lost = new Date(clock - Math.floor(random() * 30 * 3_600_000));
          await execute(sql`UPDATE instances SET lost_at = ${lost}::timestamptz, status = ${pick(['rebooting', 'stopped'])}::text
          WHERE id = ${machine}::uuid AND launched_at < ${lost}::timestamptz AND status IN ('active', 'paused', 'rebooting')`);
        } else if (kind === 5) {
          await execute(
            sql`UPDATE volumes SET status = 'resizing', size_gb = size_gb + 5 WHERE id = ${volume}::uuid AND status = 'available'`,
          );
        } else if (kind === 6) {
          await becomes('volumes', volume, pick(['available', 'in_use', 'error', 'attaching']));
        } else if (kind === 7) {
          if (!gone.has(image)) await becomes('images', image, pick(['active', 'error']));
          if (!gone.has(snapshot)) await becomes('snapshots', snapshot, pick(['available', 'error']));
        } else if (kind === 8) {
          await recordUsage([
            { ...event(project, `${seed}:${step}`), occurred_at: new Date(clock - random() * 50 * 3_600_000) },
          ]);
          await foldUsage();
          await closeMonths();
        } else if (random() < 0.15) {
          const left = machines.filter((id) => !gone.has(id));
          if (left.length > 0) await remove('instances', pick(left));
          else if (!gone.has(image)) await remove('images', image);
        }
      }
      await later();
      await closeMonths();
      expect(await differencesOf(project), `seed ${seed}`).toEqual([]);
      for (let look = 0; look < 3; look++) {
        const [from = 0, to = 0] = [random(), random()]
          .sort()
          .map((share) => MARCH.getTime() + share * (clock - MARCH.getTime()));
        expect(await differencesOf(project, new Date(from), new Date(to)), `seed ${seed}`).toEqual([]);
      }
    },
  );

  test('when a loss is dated before the instance was last started', async () => {
    await stopTestClock(MARCH.toISOString());
    const project = await projectSince('2027-03', 'lost');
    const web = await instanceRow(project, flavor);
    await becomes('instances', web, 'active');
    for (const [moment, status] of [
      ['2027-03-02T00:00:00Z', 'stopped'],
      ['2027-03-03T00:00:00Z', 'active'],
    ] as const) {
      await stopTestClock(moment);
      await becomes('instances', web, status);
    }
    await stopTestClock('2027-03-04T00:00:00Z');
    await execute(
      sql`UPDATE instances SET lost_at = '2027-03-01T12:00:00Z', status = 'stopped' WHERE id = ${web}::uuid`,
    );
    expect(await differencesOf(project)).toEqual([]);
  });

  test('when events and changes are repeated, sequentially or concurrently', async () => {
    const { project, data } = await march('replayed');
    const before = await spendNow(project.id);
    const told = Array.from({ length: 6 }, () =>
      recordUsage([event(project, 'replayed:1'), event(project, 'replayed:2')]),
    );
    await Promise.all([...told, foldUsage(), foldUsage(), becomes('volumes', data, 'available')]);
    await Promise.all([foldUsage(), foldUsage(), becomes('volumes', data, 'available')]);
    expect(await differencesOf(project)).toEqual([]);
    expect((await spendNow(project.id)).toString()).toBe(before.toString());
  });
});

describe('a planted difference is found:', () => {
  let project: TestProject;
  let web: string;
  let data: string;
  let count = 0;
  beforeEach(async () => {
    ({ project, web, data } = await march(`planted-${count++}`));
    expect(await differencesOf(project)).toEqual([]);
  });
  const usage = async () => {
    const found = await differencesOf(project);
    return found
      .filter(({ kind }) => kind === 'usage')
      .map(({ resource_id, metric, expected, billed }) => [resource_id, metric, Number(expected), Number(billed)]);
  };
  const day = 86_400;

  test('a missing span', async () => {
    await execute(sql`DELETE FROM spans WHERE resource_id = ${data}::uuid`);
    expect(await usage()).toEqual([[data, 'block_storage', 100 * (9 * day - 60), 0]]);
  });

  test('a duplicate span', async () => {
    await execute(sql`INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at)
      SELECT project_id, metric, resource_type, resource_id, resource_name, quantity, started_at, ended_at FROM spans
      WHERE resource_id = ${web}::uuid AND metric = 'compute_vcpu' AND started_at = '2027-03-05T00:00:00Z'`);
    expect(await usage()).toEqual([[web, 'compute_vcpu', 2 * (4.5 * day - 60), 2 * (7 * day - 60)]]);
  });

  test('a span with a wrong quantity', async () => {
    await execute(sql`UPDATE spans SET quantity = 16 WHERE resource_id = ${web}::uuid AND metric = 'compute_memory'`);
    expect(await usage()).toEqual([[web, 'compute_memory', 8 * (4.5 * day - 60), 16 * (4.5 * day - 60)]]);
  });

  test('a span left open after its instance was gone', async () => {
    await execute(sql`UPDATE spans SET ended_at = NULL WHERE resource_id = ${web}::uuid AND metric = 'gpu_slice'
      AND started_at = '2027-03-05T00:00:00Z'`);
    expect(await usage()).toEqual([[web, 'gpu_slice', 4.5 * day - 60, 7 * day - 60]]);
  });

  test('a span of a resource that never existed', async () => {
    await execute(sql`UPDATE spans SET resource_id = ${project.id}::uuid WHERE resource_id = ${data}::uuid`);
    const found = await usage();
    expect(found).toHaveLength(2);
    expect(found).toContainEqual([project.id, 'block_storage', 0, 100 * (9 * day - 60)]);
  });

  test('a count that is not the sum of its events', async () => {
    await execute(sql`UPDATE usage_counts SET quantity = quantity + 1 WHERE project_id = ${project.id}::uuid`);
    expect(await differencesOf(project)).toMatchObject([
      {
        kind: 'count',
        metric: 'network_egress',
        resource_type: 'instance',
        expected: '2000.000000',
        billed: '2001.000000',
      },
      { kind: 'spend', metric: 'network_egress' },
    ]);
  });

  test('live spend that differs from its spans and counts', async () => {
    await execute(
      sql`UPDATE accruals SET accrued = accrued + 3600 WHERE project_id = ${project.id}::uuid AND metric = 'compute_vcpu'`,
    );
    expect(await differencesOf(project)).toMatchObject([{ kind: 'spend', metric: 'compute_vcpu', resource_id: null }]);
  });

  test('an invoice that differs from its usage', async () => {
    await stopTestClock('2027-04-02T00:00:00Z');
    expect(await closeMonths()).toBeGreaterThanOrEqual(1);
    expect(await differencesOf(project)).toEqual([]);
    await execute(sql`UPDATE spans SET quantity = 3 WHERE resource_id = ${web}::uuid AND metric = 'compute_vcpu'`);
    const found = await differencesOf(project);
    expect(found.map(({ kind, metric }) => `${kind} ${metric}`)).toEqual([
      'usage compute_vcpu',
      'invoice compute_vcpu',
    ]);
    expect(found[1]?.resource_name).toMatch(/^INV-\d{6}$/);
  });
});

describe('in the back office', () => {
  const office = async (method: string, path: string, body?: unknown) =>
    call(method, `/admin/api/v1${path}`, { token: await signIn(root, 'backoffice'), body });

  test('a period can be checked on demand, and its report read later', async () => {
    const { project, data } = await march('reported');
    await execute(sql`UPDATE spans SET quantity = 150 WHERE resource_id = ${data}::uuid`);
    const period = { from: '2027-03-02T00:00:00.000Z', to: '2027-03-03T00:00:00.000Z' };
    const { status, body } = await office('POST', '/billing/reconciliations', period);
    expect(status).toBe(201);
    const report = body as { id: string; differences: { tenant_id: string }[] };
    expect(report).toMatchObject({ period_from: period.from, period_to: period.to });
    expect(report.differences.filter(({ tenant_id }) => tenant_id === project.id)).toEqual([
      {
        kind: 'usage',
        tenant_id: project.id,
        resource: { type: 'volume', id: data, name: 'data' },
        month: null,
        metric: 'block_storage',
        expected: 2400,
        billed: 3600,
        unit: 'quantity_hours',
      },
    ]);
    expect((await office('GET', `/billing/reconciliations/${report.id}`)).body).toEqual(body);
    const { differences: _, ...facts } = report;
    expect((await office('GET', '/billing/reconciliations?differing=true&limit=1')).body).toEqual([facts]);
    expect((await office('GET', '/billing/reconciliations?differing=false')).body).toEqual([]);
    const audited = await query(
      sql`SELECT FROM audit_entries WHERE action = 'billing.reconcile' AND resource_id = ${report.id}::text`,
    );
    expect(audited).toHaveLength(1);
  });

  test.each([
    [{ from: '2027-03-02T00:00:00.000Z', to: '2027-03-02T00:00:00.000Z' }, 'to: must be after from'],
    [{ from: '2027-04-01T00:00:00.000Z', to: '2027-05-01T00:00:00.000Z' }, 'from: must be in the past'],
    [{ from: '2020-01-01T00:00:00.000Z', to: '2027-03-02T00:00:00.000Z' }, 'at most 400 days'],
  ])('an invalid period is refused: %j', async (period, message) => {
    await stopTestClock('2027-03-10T00:00:00Z');
    const refused = await office('POST', '/billing/reconciliations', period);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(message)]);
  });

  test('the worker checks periodically', async () => {
    await march('periodic');
    const { n: before = 0 } =
      (await query<{ n: number }>(sql`SELECT count(*)::int AS n FROM reconciliations`))[0] ?? {};
    const worker = startWorker({ steps: [], jobs: reconciliationJobs(billingRules) });
    try {
      await expect
        .poll(async () => (await query(sql`SELECT FROM reconciliations`)).length, { timeout: 30_000 })
        .toBe(before + 1);
    } finally {
      await worker.stop();
    }
  });
});
