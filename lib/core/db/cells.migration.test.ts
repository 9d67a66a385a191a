import type pg from 'pg';
import { expect, it } from 'vitest';
import { databaseAsOf } from '@/lib/testing/database';
import { migrate } from './migrate';

const before = '20261122121500';
const since = ['20261122121500_cells', '20261122124500_operation_scope'];

const PROJECT = '01940000-0000-7000-8000-0000000a0001';
const ROUTER = '01940000-0000-7000-8000-0000000a0002';
const INSTANCE = '01940000-0000-7000-8000-0000000a0003';
const VOLUME = '01940000-0000-7000-8000-0000000a0004';
const FLOATING_IP = '01940000-0000-7000-8000-0000000a0005';
const IMAGE = '01940000-0000-7000-8000-0000000a0006';
const STARTING = '01940000-0000-7000-8000-0000000a0007';
const MAILING = '01940000-0000-7000-8000-0000000a0008';
const REMOVING = '01940000-0000-7000-8000-0000000a0009';

/** Data of the version before: one row of each kind that named a host. */
const written = `
  INSERT INTO hosts (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, vcpus_reserved,
      memory_mb_reserved, disk_gb_reserved, floating_ip_first, floating_ip_last, seen_at)
    VALUES ('node-1', 4, 8000, 160, 100, 0, 1, 416, 12, '198.18.0.1', '198.18.15.254', now());
  INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECT}', 'Acme', 'acme', now(), now());
  INSERT INTO project_accounts (project_id) VALUES ('${PROJECT}');
  INSERT INTO routers (id, project_id, name, host_id, created_at, updated_at)
    VALUES ('${ROUTER}', '${PROJECT}', 'router', 'node-1', now(), now());
  INSERT INTO instances (id, project_id, name, status, flavor_id, image_owner_id, image_id, host_id, power, hostname, created_at, updated_at)
    SELECT '${INSTANCE}', '${PROJECT}', 'web', 'active', f.id, m.owner_id, m.id, 'node-1', 'running', 'web', now(), now()
    FROM flavors f, images m WHERE f.name = 'nano' AND m.source ->> 'kind' = 'tiny';
  INSERT INTO volumes (id, project_id, name, size_gb, status, host_id, created_at, updated_at)
    VALUES ('${VOLUME}', '${PROJECT}', 'data', 10, 'available', 'node-1', now(), now());
  INSERT INTO floating_ips (id, project_id, host_id, address, created_at, updated_at)
    VALUES ('${FLOATING_IP}', '${PROJECT}', 'node-1', '198.18.0.7', now(), now());
  INSERT INTO images (id, project_id, owner_id, name, format, status, source, min_disk_gb, created_at, updated_at)
    VALUES ('${IMAGE}', '${PROJECT}', '${PROJECT}', 'mine', 'RAW', 'active', '{"kind": "upload", "host_id": "node-1"}', 1, now(), now());
  INSERT INTO operations (id, project_id, kind, resource_type, resource_id, stage, status, input, host_id, run_at, deadline_at, created_at, updated_at)
    VALUES ('${STARTING}', '${PROJECT}', 'instance.start', 'instance', '${INSTANCE}', 'start', 'running', '{}', 'node-1', now(), now(), now(), now()),
      ('${MAILING}', NULL, 'account.mail', 'mail', '${PROJECT}', 'send', 'pending', '{}', NULL, now(), now(), now(), now()),
      ('${REMOVING}', '${PROJECT}', 'image.delete', 'image', '${IMAGE}', 'files', 'pending', '{}', NULL, now(), now(), now(), now());
  INSERT INTO engine_reports (host_id, engine, status, message, details, updated_at)
    VALUES ('node-1', 'compute', 'available', 'KVM.', '{}', now());`;

async function asBefore(): Promise<pg.Client> {
  const { url, client } = await databaseAsOf(before);
  await client.query(written);
  expect(await migrate(url, undefined, since.at(-1))).toEqual(expect.arrayContaining(since));
  return client;
}

it('every host becomes a cell of the same name with all its contents, and its counters stay correct', async () => {
  const client = await asBefore();
  const rows = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
  const promised = { vcpus_reserved: 1, memory_mb_reserved: 416, disk_gb_reserved: 12 };
  const readCells = () => rows('SELECT id, kind, vcpus_reserved, memory_mb_reserved, disk_gb_reserved FROM cells');

  expect(await readCells()).toEqual([{ id: 'node-1', kind: 'local', ...promised }]);
  for (const table of ['routers', 'instances', 'volumes', 'floating_ips', 'engine_reports'])
    expect(await rows(`SELECT cell_id FROM ${table}`), table).toEqual([{ cell_id: 'node-1' }]);
  expect(await rows('SELECT id, status, scope, cell_id FROM operations ORDER BY id')).toEqual([
    { id: STARTING, status: 'running', scope: 'cell', cell_id: 'node-1' },
    { id: MAILING, status: 'pending', scope: 'platform', cell_id: null },
    { id: REMOVING, status: 'pending', scope: 'cell', cell_id: 'node-1' },
  ]);
  expect(await rows(`SELECT source FROM images WHERE project_id IS NOT NULL`)).toEqual([
    { source: { kind: 'upload', cell_id: 'node-1' } },
  ]);

  await client.query(`UPDATE cells SET disk_gb_reserved = 99; SELECT recount_cell('node-1')`);
  expect(await readCells()).toEqual([{ id: 'node-1', kind: 'local', ...promised }]);
  await expect(client.query(`DELETE FROM cells`)).rejects.toThrow(/foreign key constraint "\w+_cell_id_fkey"/);
  await expect(client.query(`UPDATE instances SET cell_id = NULL`)).rejects.toThrow('cell_id');
  const forgotten = await rows(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname ~ 'host_id|^hosts'`,
  );
  expect(forgotten).toEqual([]);
});
