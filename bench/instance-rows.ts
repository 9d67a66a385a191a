import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { reportEngine } from '@/lib/hosts/engine-reports/service';
import { ownCell } from '@/lib/settings';
import { createCell, NANO, TINY_IMAGE } from '@/lib/testing/hosts';
import { type Load, loadHttp } from './load';
import { projectOfCaller } from './pgbench';
import { type Aim, verdict } from './ratio';

const ROWS = 10_000;
const SECONDS = 3;

/** Measures instances without machines: how fast a create is accepted, and how fast many are listed. */
export async function measureInstanceRows(port: number, token: string): Promise<void> {
  const projectId = projectOfCaller(0);
  await createCell(process.env.HOST_ID);
  await reportEngine(ownCell(), { engine: 'compute', status: 'available', message: '' });
  await ensureProjectNetworking(projectId);
  const network_id = await createNetwork(port, token);
  const body = JSON.stringify({ name: 'web', flavor_id: NANO, image_id: TINY_IMAGE, network_id });
  const create = { method: 'POST', path: '/api/v1/compute/instances', token, body };
  await loadHttp(port, [create], 1, { status: 201 });
  const accepted = await loadHttp(port, [create], SECONDS, { status: 201 });
  print('POST /compute/instances accepted, 1 caller', accepted, { text: 'p50 ≤ 10 ms', met: accepted.p50_ms <= 10 });
  print('the same, 4 callers', await loadHttp(port, [create, create, create, create], SECONDS, { status: 201 }));
  await copyInstances(projectId, ROWS);
  const list = { method: 'GET', path: '/api/v1/compute/instances?limit=50', token };
  await loadHttp(port, [list], 1);
  print(`GET /compute/instances of ${ROWS.toLocaleString('en')}, 50 a page`, await loadHttp(port, [list], SECONDS));
}

async function createNetwork(port: number, token: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/network/networks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'wide', cidr: '10.64.0.0/16' }),
  });
  if (!response.ok) throw new Error(`no network: ${await response.text()}`);
  const made = await prisma().network.findFirstOrThrow({ where: { project_id: projectOfCaller(0), name: 'wide' } });
  return made.id;
}

/** Fills the project up to this many instances, each with a port and an address, like created ones. */
export async function copyInstances(projectId: string, count: number): Promise<void> {
  await execute(sql`
    WITH model AS (
      SELECT i, p, c.security_group_id FROM instances i JOIN ports p ON p.device_id = i.id
      JOIN port_security_groups c ON c.port_id = p.id WHERE i.project_id = ${projectId}::uuid LIMIT 1
    ), made AS (
      SELECT model.*, n, gen_random_uuid() AS instance_id, gen_random_uuid() AS port_id FROM model, (
        SELECT n FROM generate_series(1, 65000) AS n WHERE NOT EXISTS (SELECT FROM ports WHERE ip = '10.64.0.0'::inet + n)
        LIMIT ${count}::int - (SELECT count(*)::int FROM instances WHERE project_id = ${projectId}::uuid)) AS free
    ), devices_made AS (
      INSERT INTO devices (project_id, id, kind) SELECT ${projectId}::uuid, instance_id, 'instance' FROM made
    ), instances_made AS (
      INSERT INTO instances SELECT (jsonb_populate_record(i, jsonb_build_object('id', instance_id, 'name', 'web ' || n))).* FROM made
    ), ports_made AS (
      INSERT INTO ports SELECT (jsonb_populate_record(p, jsonb_build_object('id', port_id, 'device_id', instance_id,
        'ip', '10.64.0.0'::inet + n, 'mac', '02:70:00' || to_char(n / 10000, 'FM":"00') || to_char(n / 100 % 100, 'FM":"00') ||
        to_char(n % 100, 'FM":"00')))).* FROM made
    )
    INSERT INTO port_security_groups (project_id, port_id, security_group_id) SELECT ${projectId}::uuid, port_id, security_group_id FROM made`);
  await execute(sql`ANALYZE`);
}

function print(what: string, { answers, p50_ms, p99_ms }: Load, aim?: Aim): void {
  const times = `p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms of ${answers}`;
  console.log(`${what.padEnd(46)} ${times}${verdict(aim)}`);
}
