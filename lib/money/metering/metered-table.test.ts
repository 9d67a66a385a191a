import { beforeAll, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { spendNow } from '@/lib/money/rating/meter';
import { stopTestClock as at } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { createFlavor, imageRow, instanceRow, projectSince } from '@/lib/testing/metered';
import type { TestProject } from '@/lib/testing/world';

// A table of a possible future domain; docs/adding-a-domain.md lists all that makes it metered.

testDatabase();
beforeAll(async () => {
  await createCell();
  await execute(
    raw(`CREATE TABLE clusters (
    id uuid PRIMARY KEY, project_id uuid, name text NOT NULL, status text NOT NULL, nodes int NOT NULL, disk_gb int NOT NULL)`),
  );
  await execute(
    raw(`CREATE FUNCTION size(c clusters) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('postgres_database', c.nodes, 'block_storage', c.nodes * c.disk_gb) $$`),
  );
  await execute(
    raw(`CREATE FUNCTION billed(c clusters) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN c.status = 'resizing' THEN NULL
      WHEN c.status = 'paused' THEN jsonb_build_object('block_storage', c.nodes * c.disk_gb)
      WHEN c.status = 'active' THEN jsonb_build_object('postgres_database', c.nodes, 'block_storage', c.nodes * c.disk_gb) ELSE '{}' END $$`),
  );
  await execute(
    raw(`CREATE TRIGGER clusters_metered AFTER INSERT OR UPDATE OR DELETE ON clusters FOR EACH ROW
    EXECUTE FUNCTION resource_moved('database_cluster')`),
  );
});

async function cluster(project: TestProject | null, status = 'creating'): Promise<string> {
  const id = newId();
  await execute(
    sql`INSERT INTO clusters VALUES (${id}::uuid, ${project?.id ?? null}::uuid, 'main', ${status}::text, 2, 100)`,
  );
  return id;
}
const set = (id: string, change: string) => execute(sql`UPDATE clusters SET ${raw(change)} WHERE id = ${id}::uuid`);
const spansOf = async (id: string) =>
  (
    await query<{
      span: string;
    }>(sql`SELECT metric || ' ' || trim_scale(quantity) || ' ' || to_char(started_at AT TIME ZONE 'UTC', 'HH24') || '-' ||
      coalesce(to_char(ended_at AT TIME ZONE 'UTC', 'HH24'), '') AS span FROM spans WHERE resource_id = ${id}::uuid ORDER BY started_at, metric`)
  ).map(({ span }) => span);
const statesOf = async (id: string) =>
  (
    await query<{ status: string }>(sql`SELECT status FROM resource_states WHERE resource_id = ${id}::uuid ORDER BY id`)
  ).map(({ status }) => status);

test('two functions and a trigger meter a new table from creation to deletion', async () => {
  const acme = await projectSince('2027-04');
  await at('2027-04-10T08:00:00Z');
  const main = await cluster(acme);
  expect(await spansOf(main)).toEqual([]);
  await set(main, "status = 'active'");
  await at('2027-04-10T10:00:00Z');
  await set(main, "status = 'resizing', nodes = 3");
  await at('2027-04-10T11:00:00Z');
  // Unchanged: two nodes.
  expect(await spansOf(main)).toEqual(['block_storage 200 08-', 'postgres_database 2 08-']);
  await set(main, "status = 'active'");
  await at('2027-04-10T12:00:00Z');
  await set(main, "status = 'paused'");
  await at('2027-04-10T13:00:00Z');
  await execute(sql`DELETE FROM clusters WHERE id = ${main}::uuid`);
  await at('2027-04-10T14:00:00Z');
  expect(await spansOf(main)).toEqual([
    'block_storage 200 08-11',
    'postgres_database 2 08-11',
    'block_storage 300 11-13',
    'postgres_database 3 11-12',
  ]);
  expect(await statesOf(main)).toEqual(['creating', 'active', 'resizing', 'active', 'paused', 'gone']);
  // Nodes: 3 h × 2 + 1 h × 3 = 9 × 0.045 = 0.405. Disk: 3 h × 200 + 2 h × 300 = 1200 GB-hours × 0.08 ÷ 720 = 0.1333….
  expect((await spendNow(acme.id)).toFixed(6)).toBe('0.538333');
});

test('a resource deleted during a resize is no longer billed', async () => {
  const acme = await projectSince('2027-04');
  await at('2027-04-10T08:00:00Z');
  const main = await cluster(acme, 'active');
  await set(main, "status = 'resizing', nodes = 3");
  await at('2027-04-10T09:00:00Z');
  await execute(sql`DELETE FROM clusters WHERE id = ${main}::uuid`);
  expect(await spansOf(main)).toEqual(['block_storage 200 08-09', 'postgres_database 2 08-09']);
});

test('a change that affects neither status, size nor billing writes nothing', async () => {
  const acme = await projectSince('2027-04');
  await at('2027-04-10T08:00:00Z');
  const main = await cluster(acme, 'active');
  const web = await instanceRow(acme, await createFlavor({ vcpus: 2, ram_gb: 8, disk_gb: 40 }));
  await execute(sql`UPDATE instances SET status = 'active', launched_at = platform_now() WHERE id = ${web}::uuid`);
  const own = await imageRow(acme, 1000n);
  const written = () =>
    query(sql`SELECT (SELECT count(*) FROM resource_states) AS states, (SELECT jsonb_agg(s ORDER BY id) FROM spans s) AS spans,
      (SELECT jsonb_agg(to_jsonb(a) || jsonb_build_object('version', a.xmin::text)) FROM accruals a) AS accruals`);
  const before = await written();
  await at('2027-04-10T09:00:00Z');
  await set(main, "name = 'renamed', status = 'active'");
  await execute(
    sql`UPDATE instances SET task = 'stopping', launched_at = platform_now(), lost_at = NULL WHERE id = ${web}::uuid`,
  );
  await execute(sql`UPDATE images SET received_bytes = 1000 WHERE id = ${own}::uuid`);
  expect(await written()).toEqual(before);
});

test('a row without a project is not metered', async () => {
  const shared = await cluster(null, 'active');
  await set(shared, "status = 'paused', nodes = 5");
  await execute(sql`DELETE FROM clusters WHERE id = ${shared}::uuid`);
  expect([await spansOf(shared), await statesOf(shared)]).toEqual([[], []]);
});

test('metrics are locked in the order of their names, so that two changes never deadlock', async () => {
  const acme = await projectSince('2027-04');
  const web = await instanceRow(acme, await createFlavor({ vcpus: 2, ram_gb: 8, disk_gb: 40, gpu_slices: 1 }));
  await execute(sql`UPDATE instances SET status = 'active', launched_at = platform_now() WHERE id = ${web}::uuid`);
  const spans = await query<{ metric: string }>(
    sql`SELECT metric FROM spans WHERE resource_id = ${web}::uuid ORDER BY id`,
  );
  expect(spans.map(({ metric }) => metric)).toEqual(['block_storage', 'compute_memory', 'compute_vcpu', 'gpu_slice']);
});
