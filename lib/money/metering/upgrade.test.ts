import { expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseAsOf } from '@/lib/testing/database';

const id = (n: number) => `01940000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const [PROJECT, FLAVOR, WEB, STOPPED, DATA, COPY, IMAGE] = [1, 2, 3, 4, 5, 6, 7].map(id);
const MIGRATION = '20261122121642_metering_by_size_and_billed';

test('usage that ran under the previous release continues, and its next change closes it once', async () => {
  const { url, client } = await databaseAsOf('20261122092000_late_usage');
  const at = (moment: string) =>
    client.query(`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
      AS 'SELECT timestamptz ''${moment}'''`);
  const all = async () =>
    (
      await client.query(`SELECT (SELECT jsonb_agg(to_jsonb(s) ORDER BY id) FROM spans s) AS spans,
        (SELECT jsonb_agg(to_jsonb(a) ORDER BY metric) FROM accruals a) AS accruals, (SELECT jsonb_agg(to_jsonb(r) ORDER BY id) FROM resource_states r) AS states`)
    ).rows;
  await at('2027-04-10T08:00:00Z');
  await client.query(`
      INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECT}', 'acme', 'acme', now(), now());
      INSERT INTO project_accounts (project_id) VALUES ('${PROJECT}');
      INSERT INTO hosts (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, floating_ip_first, floating_ip_last, seen_at)
        VALUES ('host', 8, 8000, 100, 1000, 0, '10.0.0.1', '10.0.0.9', now());
      INSERT INTO flavors (id, name, vcpus, ram_gb, disk_gb, created_at, updated_at) VALUES ('${FLAVOR}', 'of the test', 2, 0.5, 10, now(), now());
      INSERT INTO images (id, project_id, owner_id, name, format, status, source, size_bytes, min_disk_gb, created_at, updated_at)
        VALUES ('${IMAGE}', '${PROJECT}', '${PROJECT}', 'own', 'RAW', 'active', '{"kind": "upload"}', 1000, 1, now(), now());
      INSERT INTO instances (id, project_id, name, status, flavor_id, image_owner_id, image_id, host_id, power, hostname, launched_at, created_at, updated_at)
        SELECT i::uuid, '${PROJECT}', 'web', 'active', '${FLAVOR}', '${PROJECT}', '${IMAGE}', 'host', 'running', 'web', now(), now(), now()
        FROM unnest('{${WEB},${STOPPED}}'::text[]) AS i;
      INSERT INTO volumes (id, project_id, name, size_gb, status, host_id, created_at, updated_at)
        VALUES ('${DATA}', '${PROJECT}', 'data', 20, 'available', 'host', now(), now());
      INSERT INTO snapshots (id, project_id, name, volume_id, size_gb, status, created_at, updated_at)
        VALUES ('${COPY}', '${PROJECT}', 'copy', '${DATA}', 20, 'available', now(), now())`);
  await at('2027-04-10T09:00:00Z');
  await client.query(
    `UPDATE instances SET status = 'stopped' WHERE id = '${STOPPED}'; UPDATE volumes SET status = 'resizing', size_gb = 30`,
  );
  const before = await all();

  await at('2027-04-10T10:00:00Z');
  expect(await migrate(url)).toContain(MIGRATION);
  expect(await all()).toEqual(before);

  // A repeat changes nothing. Then the change that closes each span, and a repeat of it.
  await client.query(`UPDATE instances SET status = status, updated_at = now(); UPDATE volumes SET name = 'renamed'`);
  expect(await all()).toEqual(before);
  for (const hour of ['11', '12']) {
    await at(`2027-04-10T${hour}:00:00Z`);
    await client.query(`UPDATE instances SET status = 'deleting'; UPDATE volumes SET status = 'available';
        UPDATE snapshots SET status = 'deleting'; UPDATE images SET status = 'deleting'`);
  }
  const { rows } = await client.query<{
    span: string;
  }>(`SELECT resource_type || ' ' || metric || ' ' || trim_scale(sum(quantity)) || ' ' ||
      to_char(started_at AT TIME ZONE 'UTC', 'HH24') || '-' || coalesce(to_char(ended_at AT TIME ZONE 'UTC', 'HH24'), '') AS span
      FROM spans GROUP BY resource_type, metric, started_at, ended_at ORDER BY 1`);
  expect(rows.map(({ span }) => span)).toEqual([
    'image image_storage 1000 08-11',
    'instance block_storage 20 08-11',
    'instance compute_memory 0.5 08-09',
    'instance compute_memory 0.5 08-11',
    'instance compute_vcpu 2 08-09',
    'instance compute_vcpu 2 08-11',
    'snapshot block_storage 20 08-11',
    'volume block_storage 20 08-11',
    'volume block_storage 30 11-',
  ]);
  const accruals = await client.query(
    `SELECT metric, trim_scale(open_quantity) AS open, trim_scale(accrued / 3600) AS hours FROM accruals ORDER BY metric`,
  );
  expect(accruals.rows).toEqual([
    // Disks 2 × 10 × 3 h, snapshot 20 × 3 h, volume 20 × 3 h.
    { metric: 'block_storage', open: '30', hours: '180' },
    { metric: 'compute_memory', open: '0', hours: '2' },
    { metric: 'compute_vcpu', open: '0', hours: '8' },
    { metric: 'image_storage', open: '0', hours: '3000' },
  ]);
});
