import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { clusterStatuses } from '@/lib/domains/databases/schema';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import { billingRules } from '@/lib/platform/checks';
import { databaseUrl } from '@/lib/settings';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import {
  becomes,
  bucketHolds,
  bucketRow,
  clusterRow,
  createFlavor,
  imageRow,
  instanceRow,
  projectSince,
  removeRow,
  snapshotRow,
  volumeRow,
} from '@/lib/testing/metered';
import { plant, rowFaults } from '@/lib/testing/metering-faults';
import { sampleOf } from '@/lib/testing/samples';
import type { TestProject } from '@/lib/testing/world';
import { compare } from './compare';

// The rules of reconciliation and the billing functions are written independently: a mistake in either shows as a
// difference.

testDatabase();
let flavor: string;
let larger: string;
let client: pg.Client;
beforeAll(async () => {
  await createCell();
  flavor = await createFlavor({ vcpus: 2, ram_gb: 8, disk_gb: 40, gpu_slices: 1 });
  larger = await createFlavor({ vcpus: 4, ram_gb: 32, disk_gb: 80, gpu_slices: 3 });
  client = new pg.Client(databaseUrl());
  await client.connect();
});
afterAll(() => client.end());
afterEach(() => setTestClock(0));

const BEGIN = Date.UTC(2027, 2, 1);
const END = new Date(BEGIN + 40 * 3_600_000);

/** A resource of each type that goes through all its statuses, one hour each. */
async function lives(name: string): Promise<TestProject> {
  let hours = 0;
  const hourLater = () => stopTestClock(new Date(BEGIN + ++hours * 3_600_000).toISOString());
  await stopTestClock(new Date(BEGIN).toISOString());
  const project = await projectSince('2027-03', name);
  const web = await instanceRow(project, flavor);
  const failed = await instanceRow(project, flavor);
  const data = await volumeRow(project, 100);
  const copy = await snapshotRow(project, data);
  const image = await imageRow(project, 3_000_000_000n);
  const bucket = await bucketRow(project);
  await bucketHolds(bucket, 5_000_000_000n);
  const clusters = await Promise.all(['postgres', 'valkey', 'mysql'].map((engine) => clusterRow(project, engine)));
  const clusterLife = [
    'available',
    'degraded',
    'failing_over',
    'updating',
    'upgrading',
    'restoring',
    'error',
    'deleting',
  ];
  const hour = async (changes: [table: Parameters<typeof becomes>[0], id: string, status: string][]) => {
    await hourLater();
    const status = clusterLife.shift();
    for (const id of status ? clusters : []) {
      await becomes('database_clusters', id, status ?? '');
      await execute(sql`UPDATE database_clusters SET running = 2 WHERE id = ${id}::uuid`);
    }
    for (const change of changes) await becomes(...change);
  };
  await hour([
    ['instances', web, 'active'],
    ['volumes', data, 'available'],
    ['snapshots', copy, 'available'],
    ['images', image, 'active'],
  ]);
  await hour([
    ['instances', web, 'paused'],
    ['instances', failed, 'error'],
    ['volumes', data, 'attaching'],
    ['snapshots', copy, 'error'],
    ['images', image, 'error'],
  ]);
  await hour([
    ['instances', web, 'rebooting'],
    ['volumes', data, 'in_use'],
    ['snapshots', copy, 'available'],
    ['images', image, 'active'],
  ]);
  await bucketHolds(bucket, 7_000_000_000n);
  await hour([
    ['instances', web, 'stopped'],
    ['volumes', data, 'detaching'],
    ['snapshots', copy, 'deleting'],
    ['images', image, 'deleting'],
  ]);
  await hour([
    ['instances', web, 'rebuilding'],
    ['volumes', data, 'available'],
    ['instances', failed, 'deleting'],
  ]);
  await hourLater();
  await execute(sql`UPDATE volumes SET status = 'resizing', size_gb = 150 WHERE id = ${data}::uuid`);
  await hour([
    ['instances', web, 'stopped'],
    ['volumes', data, 'available'],
  ]);
  await execute(sql`UPDATE instances SET flavor_id = ${larger}::uuid WHERE id = ${web}::uuid`);
  await hour([
    ['instances', web, 'active'],
    ['volumes', data, 'error'],
  ]);
  await hourLater();
  await execute(
    sql`UPDATE instances SET lost_at = platform_now() - interval '30 minutes', status = 'stopped' WHERE id = ${web}::uuid`,
  );
  await hour([
    ['instances', web, 'error'],
    ['volumes', data, 'deleting'],
  ]);
  await hour([['instances', web, 'deleting']]);
  await hourLater();
  for (const [table, id] of [
    ['instances', web],
    ['instances', failed],
    ['snapshots', copy],
    ['volumes', data],
    ['images', image],
    ['buckets', bucket],
    ...clusters.map((id) => ['database_clusters', id] as const),
  ] as const) {
    await removeRow(table, id);
  }
  return project;
}

async function differs({ id }: TestProject, rules = billingRules): Promise<boolean> {
  await stopTestClock(END.toISOString());
  const { differences } = await compare(rules, new Date(BEGIN), END);
  return differences.some(({ project_id, kind }) => project_id === id && kind === 'usage');
}

describe('a fault in a billing function is found', () => {
  test.each(sampleOf(rowFaults, 3))('$function: $wrong for $right', async (fault) => {
    const remove = await plant(client, fault);
    const project = await lives('faulty').finally(remove);
    expect(await differs(project)).toBe(true);
  });
});

/** Mutations of a rule: each list without one of its items or with one more, and each fact dropped. */
function faultsOf(rule: BillingRule): { fault: string; wrong: BillingRule | undefined }[] {
  const { resource_type, metrics, billed_in, free_in, since, ends_when_lost, unchanged_in } = rule;
  // A resource is never provisioned after it was active.
  const statuses = (statusesOf[resource_type] ?? []).filter(
    (status) => since === undefined || status !== 'provisioning',
  );
  const name = (change: string) => `${resource_type} (${metrics.join(', ')}): ${change}`;
  const toggled = (list: readonly string[]) =>
    statuses.map((status) =>
      list.includes(status)
        ? { change: `without ${status}`, list: list.filter((item) => item !== status) }
        : { change: `with ${status}`, list: [...list, status] },
    );
  return [
    { fault: name('no rule'), wrong: undefined },
    ...metrics.map((metric) => ({
      fault: name(`not ${metric}`),
      wrong: { ...rule, metrics: metrics.filter((item) => item !== metric) },
    })),
    ...(billed_in
      ? toggled(billed_in).map(({ change, list }) => ({
          fault: name(`billed ${change}`),
          wrong: { ...rule, billed_in: list },
        }))
      : []),
    ...(free_in
      ? toggled(free_in).map(({ change, list }) => ({
          fault: name(`free ${change}`),
          wrong: { ...rule, free_in: list },
        }))
      : []),
    ...(since ? [{ fault: name('from its creation'), wrong: { ...rule, since: 'provisioning' } }] : []),
    ...(ends_when_lost ? [{ fault: name('billed while it was lost'), wrong: withoutLoss(rule) }] : []),
    ...(unchanged_in ? [{ fault: name('changes at once'), wrong: { ...rule, unchanged_in: [] } }] : []),
  ];
}

function withoutLoss({ ends_when_lost: _, ...rule }: BillingRule): BillingRule {
  return rule;
}

const statusesOf: Record<string, readonly string[]> = {
  instance: ['provisioning', 'active', 'stopped', 'paused', 'rebooting', 'rebuilding', 'deleting', 'error'],
  volume: ['creating', 'available', 'attaching', 'in_use', 'detaching', 'deleting', 'error'],
  snapshot: ['creating', 'available', 'deleting', 'error'],
  image: ['importing', 'active', 'deleting', 'error'],
  database_cluster: clusterStatuses,
};

describe('a fault in a rule is found', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await lives('whole');
  });

  test('no fault, no difference', async () => {
    expect(await differs(project)).toBe(false);
  });

  const faults = billingRules.flatMap((rule) => faultsOf(rule).map((fault) => ({ ...fault, rule })));
  test.each(faults)('$fault', async ({ rule, wrong }) => {
    const rules = billingRules.flatMap((one) => (one === rule ? (wrong ?? []) : one));
    expect(await differs(project, rules)).toBe(true);
  });
});
