import { expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseAsOf } from '@/lib/testing/database';

const id = (n: number) => `01940000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const PROJECT = id(1);
const INSTANCE = id(2);
const VOLUME = id(3);
const PORT = id(4);

test('existing instances and volumes become devices and keep their ports, samples and egress counters', async () => {
  const { url, client } = await databaseAsOf('20261122092000_late_usage');
  await client.query(`
      INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECT}', 'acme', 'acme', now(), now());
      INSERT INTO project_accounts (project_id) VALUES ('${PROJECT}');
      INSERT INTO hosts (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable, floating_ip_first,
        floating_ip_last, seen_at) VALUES ('h1', 8, 8192, 64, 100, 0, '198.18.0.1', '198.18.0.9', now());
      INSERT INTO images (id, project_id, owner_id, name, format, status, source, min_disk_gb, created_at, updated_at)
        VALUES ('${id(5)}', '${PROJECT}', '${PROJECT}', 'own', 'RAW', 'active', '{"kind": "upload", "host_id": "h1"}', 1, now(), now());
      INSERT INTO instances (id, project_id, name, status, flavor_id, image_owner_id, image_id, host_id, power, hostname, created_at, updated_at)
        SELECT '${INSTANCE}', '${PROJECT}', 'web', 'active', id, '${PROJECT}', '${id(5)}', 'h1', 'running', 'web', now(), now()
        FROM flavors LIMIT 1;
      INSERT INTO volumes (id, project_id, name, size_gb, status, host_id, created_at, updated_at)
        VALUES ('${VOLUME}', '${PROJECT}', 'data', 1, 'available', 'h1', now(), now());
      INSERT INTO routers (id, project_id, name, created_at, updated_at) VALUES ('${id(6)}', '${PROJECT}', 'default', now(), now());
      INSERT INTO networks (id, project_id, router_id, name, created_at, updated_at)
        VALUES ('${id(7)}', '${PROJECT}', '${id(6)}', 'default', now(), now());
      INSERT INTO ports (id, project_id, network_id, instance_id, mac, ip, created_at, updated_at)
        VALUES ('${PORT}', '${PROJECT}', '${id(7)}', '${INSTANCE}', '02:00:00:00:00:01', '10.0.0.2', now(), now());
      INSERT INTO instance_samples VALUES ('${INSTANCE}', now(), '${PROJECT}', 1.5, 1, 2, 3, 4, 5, 6, 7, 8);
      INSERT INTO egress_counters (instance_id, project_id, bytes, at) VALUES ('${INSTANCE}', '${PROJECT}', 700, '2026-03-01T12:00:00Z'),
        ('${VOLUME}', '${PROJECT}', 9, now());`);
  await migrate(url);
  const { rows } = await client.query(`
      SELECT d.id, d.kind, p.id AS port, p.attachment, p.hostname, p.shared_addresses, s.values[1] AS cpu_seconds FROM devices d LEFT JOIN ports p ON p.device_id = d.id
      LEFT JOIN device_samples s ON s.device_id = d.id ORDER BY d.id`);
  const nothing = { port: null, attachment: null, hostname: null, shared_addresses: null, cpu_seconds: null };
  expect(rows).toEqual([
    {
      id: INSTANCE,
      kind: 'instance',
      port: PORT,
      attachment: 'tap',
      hostname: 'web',
      shared_addresses: [],
      cpu_seconds: 1.5,
    },
    { id: VOLUME, kind: 'volume', ...nothing },
    { id: id(6), kind: 'router', ...nothing },
    { id: id(7), kind: 'network', ...nothing },
  ]);
  const counters = await client.query(
    'SELECT device_id, name, run, project_id, port_id, bytes::int, at FROM egress_counters',
  );
  const at = new Date('2026-03-01T12:00:00Z');
  const counter = { device_id: INSTANCE, name: 'port', run: PORT, project_id: PROJECT, port_id: PORT };
  expect(counters.rows, 'read on, not billed again').toEqual([{ ...counter, bytes: 700, at }]);
});
