import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { forgetAll } from '@/lib/domains/databases/cluster/drivers';
import type { DatabaseEngine } from '@/lib/domains/databases/engines';
import type { DatabaseCluster, DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { replaceEngines } from '@/lib/engines/engines';
import { reasonOf } from '@/lib/engines/error';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import { fetchProgram } from '@/lib/engines/local/catalogue/store';
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
import { ownCell } from '@/lib/settings';
import { host, machineAt, options, shell, veth } from './balancer-world';
import { runDatabaseAgent } from './database-agent';
import { createCell } from './hosts';
import { defaultNetwork } from './machines';
import { api, createProject } from './world';

/** Why clusters of an engine, PostgreSQL if not told otherwise, can't run on this host; null if they can. */
export async function databaseTrouble(versions: readonly string[], program = 'postgres'): Promise<string | null> {
  const trouble = await serviceTrouble(host);
  if (trouble !== null) return trouble;
  const wanted = PROGRAMS.filter(
    ({ name, version }) => name === 'haproxy' || (name === program && versions.includes(version)),
  );
  return Promise.all([shell, ...wanted].map((program) => fetchProgram(host, program))).then(() => null, reasonOf);
}

export type Written = {
  acknowledged: string[];
  errors: number;
  gap_ms: number;
  /** Of clients that note them: waits of more than a second. */
  waits?: { since: string; ms: number }[];
  messages: Record<string, number>;
};

/** Worker and agent as a process of their own. */
async function startProcess(machines: ReadonlyMap<string, WantedService>) {
  const file = join(mkdtempSync(join(tmpdir(), 'nephele-test-databases-')), 'machines.json');
  async function start(): Promise<ChildProcess> {
    writeFileSync(file, JSON.stringify([...machines.values()]));
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/database-agent-process.ts'], {
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
      child = await start();
    },
  };
}

/**
 * A project with a network, a worker and an agent for databases, and a machine of the tenant's. Worker and agent run in this
 * process, or in one of their own that can be killed (`isApart`).
 */
export async function startDatabaseWorld(engine: DatabaseEngine = 'postgres', { isApart = false } = {}) {
  const services = new LocalServices(host, [...PROGRAMS, shell]);
  const call = api(endpoints);
  const machines = new Map<string, WantedService>();
  replaceEngines({ ...openLocalEngine(options), services });
  await createCell(ownCell(), { memory_mb: 20_000 });
  const project = await createProject('acme');
  await ensureProjectNetworking(project.id);
  const network = await defaultNetwork(project);
  const as = { token: project.users.member.token };

  /** A machine of the tenant's that does nothing. @returns its id */
  async function machine(name: string, ip: string): Promise<string> {
    const id = newId();
    const argv = ['/bin/busybox', 'sh', '-c', 'while true; do sleep 1000; done'];
    machines.set(id, machineAt(await veth(project.id, network, { id, name, ip }), { id, name, argv }));
    return id;
  }
  const clientId = await machine('client', '10.0.0.210');

  const apart = isApart ? await startProcess(machines) : null;
  const startAgent = () => (apart ? async () => {} : runDatabaseAgent(() => [...machines.values()]));
  let stopAgent = startAgent();

  const paths = (name: string) => `/dbaas/clusters/${engine}/default/${name}`;
  const read = async (name: string) => (await call('GET', paths(name), as)).body as DatabaseCluster;

  /** Waits until a cluster has this status. */
  async function untilIs(name: string, status: string, timeoutMs = 90_000): Promise<void> {
    if (await waitFor(async () => (await read(name)).status === status, { timeoutMs, everyMs: 20 })) return;
    const operation = await queryOne(sql`SELECT kind, stage, error FROM operations ORDER BY id DESC LIMIT 1`);
    const logs = await Promise.all(
      (await services.observeServices()).map(async ({ id, power, starts }) => {
        return `${id} ${power} ${starts}\n${(await lastLines(id)).join('\n')}`;
      }),
    );
    console.error(logs.join('\n\n'));
    throw new Error(`not ${status}: ${JSON.stringify(await read(name))} ${JSON.stringify(operation)}`);
  }

  /** The last lines of a member's log, with their times. */
  async function lastLines(id: string, count = 40): Promise<string[]> {
    let kept: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const read = await services.readLog(id, cursor, 1000);
      kept = [...kept, ...read.lines.map(({ at, message }) => `${at.toISOString()} ${message}`)].slice(-count);
      if (read.lines.length === 0) return kept;
      cursor = read.cursor;
    }
  }

  const pidOf = async (id: string) => {
    const sandbox = await findSandbox(host, id);
    // Process 0 would be the group of the tests.
    if (!sandbox?.isRunning || sandbox.pid <= 0) throw new Error(`service ${id} is not running`);
    return sandbox.pid;
  };

  return {
    services,
    call,
    as,
    project,
    paths,
    read,
    lastLines,
    machine,

    /** How long each stage of the last operation on a cluster took, in milliseconds. */
    async stages({ id }: { id: string }): Promise<Record<string, number>> {
      const rows = await query<{ stage: string; at: Date; ended: Date }>(sql`
        SELECT l.stage, l.at, coalesce(lead(l.at) OVER (ORDER BY l.id), o.finished_at) AS ended FROM operation_logs l JOIN operations o ON o.id = l.operation_id
        WHERE l.level = 'stage' AND o.id = (SELECT max(id::text)::uuid FROM operations WHERE resource_id = ${id}::uuid) ORDER BY l.id`);
      return Object.fromEntries(rows.map(({ stage, at, ended }) => [stage, ended.getTime() - at.getTime()]));
    },
    untilIs,

    /** Creates a cluster, and waits until it is available. */
    async create(body: object): Promise<DatabaseClusterWithCredentials> {
      // Nobody reports for the host, and one that is silent for minutes gets no cluster.
      await createCell(ownCell(), { memory_mb: 20_000 });
      const created = await call('POST', `/dbaas/${engine}`, {
        ...as,
        body: { vcpus: 1, ram_gb: 0.5, storage_gb: 1, network_id: network, ...body },
      });
      if (created.status !== 201) throw new Error(created.text);
      const cluster = created.body as DatabaseClusterWithCredentials;
      await untilIs(cluster.name, 'available', 240_000);
      return cluster;
    },

    /** How a program of these tests is started in the network of the tenant's machine; it finds `client` in CLIENT. */
    async inTenantNetwork(program: string, client: object) {
      await waitFor(async () => services.isHealthy(clientId), { timeoutMs: 60_000, everyMs: 50 });
      const argv = ['nsenter', '-t', String(await pidOf(clientId)), '-n', process.execPath, '--import', 'tsx', program];
      return { argv, env: { ...process.env, CLIENT: JSON.stringify(client) } };
    },

    /** A program in the network of the tenant's machine that speaks to a cluster as its answer says. */
    async connect({ endpoint, credentials }: DatabaseClusterWithCredentials, change: object = {}) {
      const client = {
        host: endpoint?.host,
        port: endpoint?.port,
        user: credentials.username,
        password: credentials.password,
        database: credentials.database,
        ssl: { ca: endpoint?.ca_certificate, rejectUnauthorized: true },
        ...change,
      };
      await waitFor(async () => services.isHealthy(clientId), { timeoutMs: 60_000, everyMs: 50 });
      const child = spawn(
        'nsenter',
        [
          '-t',
          String(await pidOf(clientId)),
          '-n',
          process.execPath,
          '--import',
          'tsx',
          engine === 'mysql' ? 'lib/testing/mariadb-client.ts' : 'lib/testing/database-client.ts',
        ],
        { env: { ...process.env, CLIENT: JSON.stringify(client) }, stdio: ['pipe', 'pipe', 'inherit'] },
      );
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const ask = async <T>(job: object): Promise<T> => {
        child.stdin.write(`${JSON.stringify(job)}\n`);
        const { value, done } = await lines.next();
        if (done) throw new Error('the client has ended');
        return JSON.parse(value);
      };
      const run = (statements: string[], config: object = {}) =>
        ask<{ rows?: Record<string, unknown>[]; error?: string }[]>({ kind: 'run', statements, config });
      return {
        run,
        startWriting: (writers = 2) => ask({ kind: 'write', writers }),
        stopWriting: () => ask<Written>({ kind: 'stop' }),
        /** Those of these rows that the database does not have. */
        async lost(rows: readonly string[]): Promise<string[]> {
          const [found] = await run(['SELECT value FROM written']);
          const present = new Set(found?.rows?.map(({ value }) => value));
          if (!found?.rows) throw new Error(found?.error);
          return rows.filter((row) => !present.has(row));
        },
        end: () => void child.stdin.end(),
      };
    },

    members: ({ id }: { id: string }) =>
      query<{ id: string; ordinal: number; role: string }>(
        sql`SELECT id, ordinal, role FROM database_members WHERE cluster_id = ${id}::uuid ORDER BY ordinal`,
      ),

    /** A member as the database has it, by its role. */
    async member(cluster: { id: string }, role: string): Promise<{ id: string; port_id: string; ordinal: number }> {
      const found = await queryOne<{ id: string; port_id: string; ordinal: number }>(sql`
        SELECT m.id, p.id AS port_id, m.ordinal FROM database_members m JOIN ports p ON p.device_id = m.id
        WHERE m.cluster_id = ${cluster.id}::uuid AND m.role = ${role}::text ORDER BY m.ordinal LIMIT 1`);
      if (!found) throw new Error(`no ${role}`);
      return found;
    },

    /** Kills a member, and returns when another process of it runs. */
    async killAndAwait(id: string): Promise<void> {
      const before = await pidOf(id);
      await this.signalTo(id, 'SIGKILL');
      await vi.waitFor(async () => expect(await pidOf(id)).not.toBe(before), { timeout: 60_000, interval: 100 });
    },

    async signalTo(id: string, signal: NodeJS.Signals): Promise<void> {
      for (const pid of processesOf(await pidOf(id)).reverse()) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          // It has just ended with another one.
          if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
        }
      }
    },

    /** Leaves so much room on a member's disk, by a file that is beside its data; null takes that away. */
    async leaveRoom(id: string, freeMb: number | null): Promise<void> {
      const folder = `/proc/${await pidOf(id)}/root/state`;
      const filler = `${folder}/filler`;
      rmSync(filler, { force: true });
      if (freeMb === null) return;
      const { bavail, bsize } = statfsSync(folder);
      execFileSync('fallocate', ['-l', String(bavail * bsize - freeMb * 1024 ** 2), filler]);
    },

    async setLink(portId: string, state: 'up' | 'down'): Promise<void> {
      const router = await queryOne<{ id: string }>(sql`SELECT id FROM routers WHERE project_id = ${project.id}::uuid`);
      await changeLinks(await namespaceCommand(host, routerNamespace(host, router?.id ?? '')), [
        `link set ${tapName(portId)} ${state}`,
      ]);
    },

    async restartAgent(): Promise<void> {
      await stopAgent();
      stopAgent = startAgent();
    },

    /** Kills worker and agent, wherever they are, and starts others after something happened. */
    async killWorker(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
      if (!apart) throw new Error('worker and agent run in this process');
      await apart.kill();
      await meanwhile();
      await apart.restart();
    },

    async stop(): Promise<void> {
      await stopAgent();
      await apart?.kill();
      await forgetAll();
      for (const { id } of await services.observeServices()) await services.removeService(id);
      const { network: networks } = openLocalEngine(options);
      for (const { id } of await networks.observeRouters()) await networks.removeRouter(id);
      for (const process of findProcesses(host)) await endProcess(process);
      await removeVolatile(host);
    },
  };
}
