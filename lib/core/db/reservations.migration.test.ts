import { expect, it } from 'vitest';
import { databaseAsOf } from '@/lib/testing/database';
import { migrate } from './migrate';

const before = '20261122131000';
const reservations = '20261122131000_reservations';

const PROJECT = '01940000-0000-7000-8000-0000000b0001';
const INSTANCE = '01940000-0000-7000-8000-0000000b0003';
const VOLUME = '01940000-0000-7000-8000-0000000b0004';

/** Data of the version before; the counter of the disk is wrong. */
const written = `
  INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, vcpus_reserved,
      memory_mb_reserved, disk_gb_reserved, floating_ip_first, floating_ip_last, seen_at)
    VALUES ('node-1', 4, 8000, 160, 100, 0, 1, 416, 99, '198.18.0.1', '198.18.15.254', now());
  INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECT}', 'Acme', 'acme', now(), now());
  INSERT INTO project_accounts (project_id) VALUES ('${PROJECT}');
  INSERT INTO devices (project_id, id, kind) VALUES ('${PROJECT}', '${INSTANCE}', 'instance'), ('${PROJECT}', '${VOLUME}', 'volume');
  INSERT INTO instances (id, project_id, name, status, flavor_id, image_owner_id, image_id, cell_id, power, hostname, created_at, updated_at)
    SELECT '${INSTANCE}', '${PROJECT}', 'web', 'active', f.id, m.owner_id, m.id, 'node-1', 'running', 'web', now(), now()
    FROM flavors f, images m WHERE f.name = 'nano' AND m.source ->> 'kind' = 'tiny';
  INSERT INTO volumes (id, project_id, name, size_gb, status, cell_id, created_at, updated_at)
    VALUES ('${VOLUME}', '${PROJECT}', 'data', 10, 'available', 'node-1', now(), now());`;

it('existing instances and volumes keep their reservations and release them once', async () => {
  const { url, client } = await databaseAsOf(before);
  await client.query(written);
  expect(await migrate(url, undefined, reservations)).toEqual([reservations]);

  const counters = async () =>
    (await client.query('SELECT vcpus_reserved, memory_mb_reserved, disk_gb_reserved FROM cells')).rows;
  const ledger = await client.query(
    `SELECT device_id, kind, amount FROM reservations WHERE project_id = '${PROJECT}' AND cell_id = 'node-1' ORDER BY 1, 2`,
  );
  expect(ledger.rows).toEqual([
    { device_id: INSTANCE, kind: 'disk_gb', amount: 2 },
    { device_id: INSTANCE, kind: 'memory_mb', amount: 416 },
    { device_id: INSTANCE, kind: 'vcpus', amount: 1 },
    { device_id: VOLUME, kind: 'disk_gb', amount: 10 },
  ]);
  expect(await counters()).toEqual([{ vcpus_reserved: 1, memory_mb_reserved: 416, disk_gb_reserved: 12 }]);

  for (let round = 0; round < 2; round++) {
    await client.query(`SELECT release_ledger('${PROJECT}', '${INSTANCE}', NULL)`);
    expect(await counters()).toEqual([{ vcpus_reserved: 0, memory_mb_reserved: 0, disk_gb_reserved: 10 }]);
  }
});
