import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { proxyProgram } from '@/lib/domains/loadbalancing/node-spec';
import { programRoot } from '@/lib/engines/local/catalogue/store';
import { findProcess } from '@/lib/engines/local/processes';
import { findSandbox } from '@/lib/engines/local/services/sandbox';
import { ensureKeys } from '@/lib/runtime/keys';
import { settings } from '@/lib/settings';
import { host } from '@/lib/testing/balancer-world';
import { startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import { freePort } from '@/lib/testing/loopback';
import { figures } from './balancer';
import { besides } from './cgroup';
import { loadApart } from './load';
import { compareWithTime, processorMs, times } from './processor-time';
import { printRatio } from './ratio';

const SECONDS = 3;
const CALLERS = 16;
const TENANTS = 50;
const ROUTES = 1000;
const CHANGES = 15;

/**
 * The gateway beside the same HAProxy started by hand with the same configuration, both in front of one server; then how
 * soon a change is served among 1,000 routes of 50 tenants.
 */
export async function measureGateway(): Promise<void> {
  process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';
  await takeFreeGatewayPorts();
  ensureKeys();
  const world = await startGatewayWorld();
  const processes: ChildProcess[] = [];
  const removals: (() => void)[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'nephele-bench-'));
    const root = programRoot(host, proxyProgram);
    // With a master process, as the gateway has it.
    const start = (name: string, configuration: string, options: string[] = []): number => {
      const file = join(folder, name);
      writeFileSync(file, configuration);
      const env = { ...process.env, LD_LIBRARY_PATH: join(root, 'usr/lib/x86_64-linux-gnu') };
      const child = spawn(join(root, 'usr/sbin/haproxy'), [...options, '-f', file], {
        env,
        stdio: ['ignore', openSync(join(folder, `${name}.log`), 'w'), 'ignore'],
      });
      processes.push(child);
      if (child.pid === undefined) throw new Error('HAProxy was not started');
      return child.pid;
    };
    const backend = await freePort();
    start(
      'server.cfg',
      `defaults\n  mode http\n  timeout client 60s\n  timeout connect 5s\n  timeout server 60s\nfrontend web\n  bind 127.0.0.1:${backend}\n  http-request return status 200 content-type text/plain string "hello"\n`,
    );
    const project = await world.project('bench');
    const route = await world.apply(project, {
      backends: [{ name: 'web', url: `http://127.0.0.1:${backend}`, weight: 100 }],
    });
    await world.until(route.id, project, ({ status }) => status === 'active');

    // The same files, at other ports.
    const ports = { http: await freePort(), https: await freePort() };
    const files = world.servedFiles(await world.serviceId());
    for (const [from, to] of [
      [settings().gatewayHttpPort, ports.http],
      [settings().gatewayHttpsPort, ports.https],
    ] as const) {
      files.set('haproxy.cfg', (files.get('haproxy.cfg') ?? '').replaceAll(`:${from}`, `:${to}`));
    }
    for (const [name, content] of files) writeFileSync(join(folder, name.replaceAll('/', '-')), content);
    const byHand = (files.get('haproxy.cfg') ?? '')
      .replaceAll(/\/etc\/service\/([\w./-]+)/g, (_, name: string) => join(folder, name.replaceAll('/', '-')))
      .replaceAll('/run/service', folder);
    const pid = start('by-hand.cfg', byHand, ['-W']);
    const serviceId = await world.serviceId();
    const sandbox = await findSandbox(host, serviceId);
    if (!sandbox) throw new Error('the gateway is not running');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    removals.push(besides(sandbox.pid, pid));
    const { hostname } = new URL(route.url);
    const load = (port: number) =>
      loadApart(
        port,
        Array.from({ length: CALLERS }, () => ({ method: 'GET', path: '/', host: hostname })),
        SECONDS,
      );
    const keeper = findProcess(host, 'shim', serviceId)?.pid;
    const kept = () => (keeper === undefined ? 0 : processorMs([keeper]));
    const counted = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
    const [keptBefore, countedBefore] = [kept(), counted()];
    let answers = 0;
    const [ours, theirs] = await compareWithTime(
      {
        async load() {
          const seen = await load(settings().gatewayHttpPort);
          answers += seen.answers;
          return seen;
        },
        pid: sandbox.pid,
      },
      { load: () => load(ports.http), pid },
    );
    printRatio(
      'Gateway to HAProxy by hand, 16 callers',
      ours.perSecond / theirs.perSecond,
      `${figures(ours)} to ${figures(theirs)}, of processor time ${times(ours, theirs)}`,
      {
        text: '≥ 0.95',
        met: ours.perSecond / theirs.perSecond >= 0.95,
      },
    );
    const each = (ms: number) => `${((ms * 1000) / answers).toFixed(1)} µs`;
    console.log(
      `    A line of the access log: ${each(kept() - keptBefore)} to store, ${each(counted() - countedBefore)} to count`,
    );
    await changesAmongMany(world, project, backend);
  } finally {
    const ended = processes.map((child) => child.exitCode !== null || once(child, 'exit'));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const remove of removals) remove();
    await world.stop();
  }
}

async function changesAmongMany(
  world: Awaited<ReturnType<typeof startGatewayWorld>>,
  project: Awaited<ReturnType<typeof world.project>>,
  backend: number,
): Promise<void> {
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const { id } = await world.project(`tenant-${tenant}`);
    const rows = Array.from({ length: ROUTES / TENANTS }, (_, index) => ({ id: newId(), prefix: `/p${index}/` }));
    await execute(sql`INSERT INTO devices (project_id, id, kind) SELECT ${id}::uuid, r.id, 'gateway_route'
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id uuid)`);
    await execute(sql`INSERT INTO gateway_routes (id, project_id, name, host, path_prefix, cell_id, status, strip_prefix, sticky, backends, created_at, updated_at)
      SELECT r.id, ${id}::uuid, 'route ' || r.prefix, 'shop.' || p.slug || '.apps.localhost', r.prefix, ${world.cell}::text, 'degraded', false, false,
        ${JSON.stringify([{ name: 'web', weight: 100, url: `http://127.0.0.1:${backend}`, instance_id: null, load_balancer_id: null, port: null }])}::jsonb,
        platform_now(), platform_now()
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id uuid, prefix text), projects p WHERE p.id = ${id}::uuid`);
  }
  await world.ingress.settled();
  const [{ host = '' } = {}] = await query<{ host: string }>(
    sql`SELECT host FROM gateway_routes WHERE project_id = ${project.id}::uuid LIMIT 1`,
  );
  const times: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const begun = performance.now();
    const answered = await world.origin((_, response) => response.end(`new ${index}`));
    await world.apply(project, {
      name: `change-${index}`,
      path_prefix: `/change-${index}`,
      backends: [{ name: 'web', url: answered, weight: 100 }],
    });
    for (;;) {
      const { text } = await world.get(host, `/change-${index}`, { headers: { connection: 'close' } });
      if (text === `new ${index}`) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    times.push(performance.now() - begun);
    await world.call('DELETE', `/gateway/routes/${await world.idOf(project, `change-${index}`)}`, world.token(project));
    await world.ingress.settled();
  }
  const sorted = times.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `New route among ${ROUTES} → served                  median ${Math.round(median)} ms of ${CHANGES} (${Math.round(sorted[0] ?? 0)} ms to ${Math.round(sorted.at(-1) ?? 0)} ms)  aim median ≤ 500 ms: ${median <= 500 ? 'met' : 'MISSED'}`,
  );
}
