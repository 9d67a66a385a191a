import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { proxyProgram } from '@/lib/domains/loadbalancing/node-spec';
import type { LoadBalancer, Pool } from '@/lib/domains/loadbalancing/schema';
import { newMac } from '@/lib/domains/network/ports';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { replaceEngines } from '@/lib/engines/engines';
import { reasonOf } from '@/lib/engines/error';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import type { Program } from '@/lib/engines/local/catalogue/program';
import { fetchProgram } from '@/lib/engines/local/catalogue/store';
import { describeHost } from '@/lib/engines/local/host';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { changeLinks } from '@/lib/engines/local/network/links';
import { routerNamespace, tapName } from '@/lib/engines/local/network/names';
import { namespaceCommand } from '@/lib/engines/local/network/namespaces';
import { endProcess, findProcesses } from '@/lib/engines/local/processes';
import { serviceTrouble } from '@/lib/engines/local/services/limits';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { findSandbox, processesOf } from '@/lib/engines/local/services/sandbox';
import { removeVolatile } from '@/lib/engines/local/services/volatile';
import { waitFor } from '@/lib/engines/local/turns';
import type { WantedService } from '@/lib/hosts/services/engine';
import { endpoints } from '@/lib/platform/endpoints';
import { ownCell, settings } from '@/lib/settings';
import { runBalancerAgent } from './balancer-agent';
import { createCell } from './hosts';
import { defaultNetwork } from './machines';
import { api, createProject } from './world';

/** Servers behind the load balancer, and its client. */
export const shell: Program = {
  name: 'busybox',
  version: 'with-curl',
  licence: 'GPL-2.0-only',
  sources: [{ kind: 'debian', packages: ['busybox-static', 'curl'] }],
  keep: ['bin/busybox', 'usr/bin/busybox', 'usr/bin/curl'],
};
export const options = {
  dataDir: settings().dataDir,
  cacheDir: join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`),
};
export const host = describeHost(options);
export const openToAll = ['ingress', 'egress'].map((direction) => ({
  direction,
  protocol: 'any',
  portRangeMin: null,
  portRangeMax: null,
  cidr: '0.0.0.0/0',
}));

/** Why load balancers can't run on this host; null if they can. */
export async function balancerTrouble(): Promise<string | null> {
  const trouble = await serviceTrouble(host);
  if (trouble !== null) return trouble;
  const haproxy = PROGRAMS.find(({ name }) => name === proxyProgram.name);
  const wanted = [shell, ...(haproxy ? [haproxy] : [])];
  return Promise.all(wanted.map((program) => fetchProgram(host, program))).then(() => null, reasonOf);
}

/** Where the machines of a world are: the last numbers of their addresses. */
const MACHINES = [201, 202, 203, 204, 205, 206, 210];

/** A member of a pool at `10.0.0.{last}:8080`. */
export const memberAt = (name: string, last: number, change: { weight?: number; backup?: boolean } = {}) => ({
  name,
  address: `10.0.0.${last}`,
  port: 8080,
  weight: 1,
  ...change,
});

/** An HTTP listener on port 80 with a health check every second. */
export const webListener = (...members: ReturnType<typeof memberAt>[]) => ({
  name: 'web',
  protocol: 'HTTP',
  port: 80,
  pool: {
    name: 'web',
    members,
    health_check: { type: 'http', path: '/', interval_s: 1, timeout_s: 1, retries: 0 },
  },
});

/** A process at a port that stands for an instance; `/etc/service/www/index.html` holds its name. */
export const machineAt = (
  port: { id: string; network_id: string; mac: string; ip: string },
  { id, name, argv }: { id: string; name: string; argv: string[] },
): WantedService => ({
  isBusy: false,
  spec: {
    id,
    program: { name: shell.name, version: shell.version },
    argv,
    environment: {},
    files: [{ path: 'www/index.html', content: name, secret: false }],
    state: null,
    port: {
      id: port.id,
      networkId: port.network_id,
      mac: port.mac,
      ip: port.ip,
      prefixLength: 24,
      gatewayIp: '10.0.0.1',
      dnsServers: [],
      sharedAddresses: [],
    },
    limits: { cpuMillis: 1000, memoryMb: 64, processes: 64, openFiles: 1024 },
    health: { kind: 'command', argv: ['/bin/busybox', 'true'] },
    restart: 'always',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 0.2,
  },
});

/** A device with its own address on a network, open to all. */
export async function veth(
  projectId: string,
  network: string,
  { id, name, ip }: { id: string; name: string; ip: string },
) {
  const port = { id: newId(), network_id: network, mac: newMac(), ip };
  // One statement, which is repeated if the agent at work meets it in a deadlock.
  await execute(sql`
    WITH device AS (INSERT INTO devices (project_id, id, kind) VALUES (${projectId}::uuid, ${id}::uuid, 'instance')),
      port AS (
        INSERT INTO ports (id, project_id, network_id, device_id, mac, ip, hostname, attachment, own_rules, created_at, updated_at)
        VALUES (${port.id}::uuid, ${projectId}::uuid, ${network}::uuid, ${id}::uuid, ${port.mac}::text, ${ip}::inet, ${name}::text,
          'veth', ${JSON.stringify(openToAll)}::jsonb, platform_now(), platform_now()))
    UPDATE routers SET cell_id = ${ownCell()}::text, revision = revision + 1 WHERE project_id = ${projectId}::uuid`);
  return port;
}

/** Worker and agent as a process of their own. */
async function startProcess(machines: ReadonlyMap<string, WantedService>) {
  const file = join(mkdtempSync(join(tmpdir(), 'nephele-test-agent-')), 'machines.json');
  async function start(): Promise<ChildProcess> {
    writeFileSync(file, JSON.stringify([...machines.values()]));
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/balancer-agent-process.ts'], {
      env: { ...process.env, MACHINES: file },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return child;
  }
  let child = await start();
  async function kill(): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  return {
    kill,
    async restart(): Promise<void> {
      await kill();
      child = await start();
    },
  };
}

/**
 * A load balancer of real processes on a real network, in front of web servers `one` (10.0.0.201) and `two` (10.0.0.202)
 * that answer with their names. A worker and an agent run in this process, or in one of their own (`isApart`).
 */
export async function startBalancerWorld({ isApart = false } = {}) {
  const services = new LocalServices(host, [...PROGRAMS, shell]);
  const call = api(endpoints);
  const machines = new Map<string, WantedService>();
  replaceEngines({ ...openLocalEngine(options), services });
  await createCell(ownCell(), { memory_mb: 10_000 });
  const project = await createProject('acme');
  await ensureProjectNetworking(project.id);
  const network = await defaultNetwork(project);

  // Taken at once: the platform gives its own ports any address that is free.
  const free = new Map<string, { id: string; port: Awaited<ReturnType<typeof veth>> }>();
  for (const last of MACHINES) {
    const [id, ip] = [newId(), `10.0.0.${last}`];
    free.set(ip, { id, port: await veth(project.id, network, { id, name: `machine-${last}`, ip }) });
  }

  /** Starts a program at one of the addresses of machines. A test that is repeated finds the one it started before. */
  async function start(name: string, ip: string, script: string): Promise<string> {
    const present = [...machines].find(([, { spec }]) => spec.port?.ip === ip);
    if (present) return present[0];
    const reserved = free.get(ip);
    if (!reserved) throw new Error(`${ip} is no address of a machine`);
    const { id, port } = reserved;
    const argv = ['/bin/busybox', 'sh', '-c', script];
    machines.set(id, machineAt(port, { id, name, argv }));
    return id;
  }

  const web = (name: string, ip: string) => start(name, ip, 'exec httpd -f -p 8080 -h /etc/service/www');
  await web('one', '10.0.0.201');
  await web('two', '10.0.0.202');
  const client = await start('client', '10.0.0.210', 'while true; do sleep 1000; done');
  const agent = isApart ? await startProcess(machines) : { kill: runBalancerAgent(() => machines.values()) };

  const as = { token: project.users.member.token };
  const body = {
    name: 'shop',
    network_id: network,
    listeners: [webListener(memberAt('one', 201), memberAt('two', 202))],
  };
  const created = await call('POST', '/lbaas/loadbalancers', { ...as, body });
  if (created.status !== 201) throw new Error(created.text);
  const balancer = created.body as LoadBalancer;
  const path = `/lbaas/loadbalancers/${balancer.id}`;

  const read = async () => (await call('GET', path, as)).body as LoadBalancer;
  /** Waits until the load balancer has these statuses. */
  async function untilIs(wanted: { provisioning_status?: string; operating_status?: string }): Promise<void> {
    const isThere = async () => {
      const now = { ...(await read()) };
      return JSON.stringify({ ...now, ...wanted }) === JSON.stringify(now);
    };
    if (await waitFor(isThere, { timeoutMs: 90_000, everyMs: 50 })) return;
    throw new Error(`not ${JSON.stringify(wanted)} after 90 seconds: ${JSON.stringify(await read())}`);
  }
  await untilIs({ provisioning_status: 'active', operating_status: 'online' });

  const inClient = async (script: string) =>
    (await services.runInside(client, ['/bin/busybox', 'sh', '-c', script], { timeoutMs: 120_000 })).stdout;
  return {
    services,
    call,
    as,
    project,
    balancer,
    path,
    machines,
    start,
    web,
    read,
    untilIs,
    inClient,

    /** Answers of the load balancer, each with its number. */
    async ask(times: number, port = 80): Promise<Record<string, number>> {
      const script = `curl -s -m 2 -w ' %{http_code}\\n' 'http://${balancer.vip_address}:${port}/?[1-${times}]'`;
      const lines = (await inClient(script)).trimEnd().split('\n');
      return Object.fromEntries(
        [...new Set(lines)].sort().map((line) => [line, lines.filter((one) => one === line).length]),
      );
    },

    /** Requests of one client, over one connection where it can: how many succeeded and failed, and how often it connected. */
    async requests(count: number, url: string, more = '') {
      const script = `curl -s -m 5 -o /dev/null ${more} -w '%{http_code} %{num_connects}\\n' '${url}/?[1-${count}]' |
        /bin/busybox sort | /bin/busybox uniq -c`;
      const lines = (await inClient(script)).trim().split('\n');
      const seen = { answered: 0, failed: 0, connections: 0 };
      for (const line of lines) {
        const [number = 0, status = 0, connects = 0] = line.trim().split(' ').map(Number);
        seen[status === 200 ? 'answered' : 'failed'] += number;
        seen.connections += number * connects;
        if (status !== 200) console.log(`number, status and connections of failures: ${line}`);
      }
      return seen;
    },

    async members(): Promise<Pool['members']> {
      const { body } = await call('GET', `/lbaas/pools?load_balancer_id=${balancer.id}`, as);
      return (body as Pool[])[0]?.members ?? [];
    },

    /** Replaces the listeners, and waits until both nodes have them. */
    async change(...listeners: object[]): Promise<void> {
      const { status, text } = await call('PUT', path, { ...as, body: { listeners } });
      if (status !== 202) throw new Error(text);
      await untilIs({ provisioning_status: 'active' });
    },

    activeNode: () =>
      queryRow<{ id: string; port_id: string }>(sql`
        SELECT n.id, p.id AS port_id FROM load_balancer_nodes n JOIN ports p ON p.device_id = n.id
        JOIN load_balancers b ON b.id = n.load_balancer_id AND b.active_ordinal = n.ordinal WHERE b.id = ${balancer.id}::uuid`),

    async signalTo(id: string, signal: NodeJS.Signals): Promise<void> {
      const sandbox = await findSandbox(host, id);
      // Process 0 would be the group of the tests.
      if (!sandbox?.isRunning || sandbox.pid <= 0) throw new Error(`service ${id} is not running`);
      for (const pid of processesOf(sandbox.pid).reverse()) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          // It has just ended with another one.
          if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
        }
      }
    },

    async setLink(portId: string, state: 'up' | 'down'): Promise<void> {
      const router = await queryOne<{ id: string }>(sql`SELECT id FROM routers WHERE project_id = ${project.id}::uuid`);
      await changeLinks(await namespaceCommand(host, routerNamespace(host, router?.id ?? '')), [
        `link set ${tapName(portId)} ${state}`,
      ]);
    },

    /**
     * Sends requests for some seconds, during which the load balancer fails.
     * @returns the longest time between two answers, in milliseconds
     */
    async longestGap(seconds: number, fail: () => Promise<void>): Promise<number> {
      const request = `curl -s -o /dev/null -m 0.3 -w '%{http_code} ' http://${balancer.vip_address}/`;
      const asking = inClient(`
        until=$(($(cut -d. -f1 /proc/uptime) + ${seconds}))
        while [ $(cut -d. -f1 /proc/uptime) -lt $until ]; do ${request}; cut -d' ' -f1 /proc/uptime; done`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await fail();
      const lines = (await asking).split('\n');
      const answered = lines.filter((line) => line.startsWith('200 ')).map((line) => Number(line.slice(4)));
      const gaps = answered.map((at, index) => at - (answered[index - 1] ?? at));
      return Math.round(Math.max(...gaps) * 1000);
    },

    /** Kills worker and agent without a word, and starts them again. */
    async restartAgent(): Promise<void> {
      if (!('restart' in agent)) throw new Error('the agent runs in this process');
      await agent.restart();
    },

    async stop(): Promise<void> {
      await agent.kill();
      for (const { id } of await services.observeServices()) await services.removeService(id);
      const { network: networks } = openLocalEngine(options);
      for (const { id } of await networks.observeRouters()) await networks.removeRouter(id);
      for (const process of findProcesses(host)) await endProcess(process);
      await removeVolatile(host);
    },
  };
}
