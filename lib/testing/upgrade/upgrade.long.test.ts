import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { embeddedDatabaseUrl } from '@/lib/runtime/embedded-database';
import { endLeftovers } from '@/lib/runtime/leftovers';
import { settingNames } from '@/lib/settings';
import { type Installation, type Platform, startPlatform } from '../platform';
import { checkOut, folderOf, ordinaryUser, type Runner, root } from './checkout';
import { Caller, type Furniture, furnish } from './furnish';
import { differences, type Recording, record } from './record';

/** The release whose data is upgraded, and the new one; both as committed, without local edits. */
const from = process.env.UPGRADE_FROM || 'b7997a5';
const to = process.env.UPGRADE_TO || 'HEAD';
const DAYS_AGO = 40;
const MINUTE_MS = 60_000;
/** Locked during the migrations, so that they can be killed in the middle: any table that a late migration alters. */
const LOCKED_TABLE = process.env.UPGRADE_LOCK || 'instances';
const settings = { HOST_ID: 'test-host', PAYMENT_SANDBOX: 'true' };

const known = spawnHasCommit(from);
const asRoot = process.getuid?.() === 0;

describe.runIf(known && asRoot).each([
  ['root', root],
  ['an ordinary user', ordinaryUser],
])('data of an earlier release, as %s', (_name, runner: Runner) => {
  const old: Installation = { folder: '', ...runner };
  const fresh: Installation = { folder: '', ...runner };
  const place = folderOf(runner, mkdtempSync(join(tmpdir(), 'nephele-upgrade-')));
  const dataDir = folderOf(runner, join(place, 'data'));
  const restoredDir = join(place, 'restored');
  const backup = join(place, 'backup');
  const running: { platform?: Platform } = {};
  let furniture: Furniture;
  let tenant: Caller;
  let admin: Caller;
  let before: Recording;
  let machines: Map<string, number>;
  let stoppedAt = new Date();

  const start = async (installation: Installation, folder: string) => {
    running.platform = await startPlatform({ ...settings, HOME: place }, folder, installation);
    await signIn();
  };
  const recorded = () =>
    record({ url: running.platform?.url ?? '', tenantToken: tenant.token, adminToken: admin.token }, stoppedAt);

  afterAll(async () => {
    await stop();
    if (process.env.UPGRADE_KEEP !== '1')
      rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }, 5 * MINUTE_MS);

  test('the earlier release is filled, and its answers recorded', { timeout: 30 * MINUTE_MS }, async () => {
    old.folder = checkOut(from, runner).folder;
    fresh.folder = checkOut(to, runner).folder;
    await start(old, dataDir);
    await inDatabase(dataDir, [
      platformNow(`clock_timestamp() - interval '${DAYS_AGO} days'`),
      `UPDATE projects SET created_at = created_at - interval '${DAYS_AGO} days'`,
    ]);
    await delay(6_000);
    await signIn();
    furniture = await furnish(tenant, admin);
    await inDatabase(dataDir, [platformNow('clock_timestamp()')]);
    await delay(6_000);
    await signIn();
    await admin.ask('POST', '/admin/api/v1/billing/closings', { month: monthAgo() });
    await settled();
    await stopClock();
    before = await recorded();
    expect(Object.values(before).filter(({ status }) => status !== 200)).toEqual([]);
    expect(before['/api/v1/billing/invoices']?.body).not.toEqual([]);
    machines = guests(dataDir);
    expect(machines.size).toBe(2);
    run(old, dataDir, 'lib/runtime/admin.mjs', 'backup', backup);
  });

  test('migrations killed in the middle are completed by the next start', {
    timeout: 20 * MINUTE_MS,
  }, async () => {
    await running.platform?.kill();
    await endLeftovers(dataDir, 30_000);
    await killedMigration(fresh, dataDir);
    await start(fresh, dataDir);
  });

  test('every answer is the same, and no instance was touched', { timeout: 10 * MINUTE_MS }, async () => {
    expect(guests(dataDir)).toEqual(machines);
    const { changed, added } = differences(before, await recorded());
    if (added.length > 0) console.log(`new fields:\n${added.join('\n')}`);
    expect(changed).toEqual([]);
    expect(guests(dataDir)).toEqual(machines);
  });

  test('a backup of the earlier release is restored by this one', { timeout: 20 * MINUTE_MS }, async () => {
    await stop();
    for (const part of ['keys', 'engine']) {
      cpSync(join(dataDir, part), join(folderOf(runner, restoredDir), part), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
    if (runner.uid !== 0) execFileSync('chown', ['-R', `${runner.uid}:${runner.gid}`, restoredDir]);
    rmSync(join(restoredDir, 'keys', 'postgres'), { force: true });
    run(fresh, restoredDir, 'lib/runtime/admin.mjs', 'restore', backup);
    const database = await databaseAs(runner, restoredDir);
    await inDatabase(restoredDir, [platformNow(`timestamptz '${stoppedAt.toISOString()}'`)]);
    await database.stop();
    await start(fresh, restoredDir);
    const { changed } = differences(before, await recorded());
    expect(changed.filter((line) => !comesOfBooting(line))).toEqual([]);
    await stop();
  });

  test('everything can be used and deleted, and nothing is left or still billed', {
    timeout: 20 * MINUTE_MS,
  }, async () => {
    await start(fresh, dataDir);
    await inDatabase(dataDir, [platformNow('clock_timestamp()')]);
    await delay(6_000);
    await signIn();
    const v1 = '/api/v1';
    const { running: idle, writing, stopped, volume, floatingIp } = furniture;
    for (const id of [idle, writing]) await tenant.reaches(`${v1}/compute/instances/${id}`, 'active');
    await tenant.ask('POST', `${v1}/compute/instances/${stopped}/action`, { action: 'start' });
    await tenant.reaches(`${v1}/compute/instances/${stopped}`, 'active');
    await tenant.ask('POST', `${v1}/storage/volumes/${volume}/detach`, {});
    await tenant.reaches(`${v1}/storage/volumes/${volume}`, 'available');
    await tenant.ask('POST', `${v1}/network/floating-ips/${floatingIp}/disassociate`, {});
    await tenant.ask('DELETE', `${v1}/network/floating-ips/${floatingIp}`);
    for (const kind of ['storage/snapshots', 'compute/instances', 'storage/volumes']) {
      for (const { id } of await tenant.list(`${v1}/${kind}`)) {
        await tenant.ask('DELETE', `${v1}/${kind}/${id}`);
        await tenant.vanishes(`${v1}/${kind}/${id}`);
      }
    }
    const quota = await tenant.ask('GET', `${v1}/tenant/quota`);
    console.log(JSON.stringify(quota));
    await inDatabase(dataDir, [], async (client) => {
      const { rows } = await client.query('SELECT * FROM quota_ledger');
      expect(rows.filter(({ amount }) => Number(amount) !== 0)).toEqual([]);
      const open = await client.query('SELECT * FROM spans WHERE ended_at IS NULL');
      expect(open.rows).toEqual([]);
    });
    await admin.ask('POST', '/admin/api/v1/billing/reconciliations', {});
    expect(guests(dataDir).size).toBe(0);
  });

  /** Signs in again: earlier sessions have other times. */
  async function signIn(): Promise<void> {
    const url = running.platform?.url ?? '';
    tenant = await Caller.tenant(url);
    admin = await Caller.administrator(url);
  }

  async function stop(): Promise<void> {
    await running.platform?.stop();
    delete running.platform;
  }

  async function settled(): Promise<void> {
    await inDatabase(dataDir, [], async (client) => {
      for (;;) {
        const { rowCount } = await client.query("SELECT FROM operations WHERE status IN ('pending', 'running')");
        if (rowCount === 0) return;
        await delay(500);
      }
    });
  }

  async function stopClock(): Promise<void> {
    stoppedAt = new Date();
    await inDatabase(dataDir, [platformNow(`timestamptz '${stoppedAt.toISOString()}'`)]);
    // The backup has machines that were last seen at this time: a restored platform bills those that it lost until then.
    await delay(6_000);
  }
});

function spawnHasCommit(ref: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${ref}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    console.log(`SKIPPED: commit ${ref} is not in this clone; fetch the history, or set UPGRADE_FROM`);
    return false;
  }
}

/**
 * Instances that should run boot from the restored disks. They were billed until last seen, some seconds before the
 * clock was frozen.
 */
function comesOfBooting(line: string): boolean {
  if (/\/compute\/instances.*\.(task|status|updated_at): /.test(line)) return true;
  // The same figures as `usage`, as text.
  if (line.startsWith('/api/v1/billing/usage.csv')) return true;
  const [, before, after] = /^\/(?:admin\/)?api\/v1\/billing\/.*: (\d+\.?\d*) → (\d+\.?\d*)$/.exec(line) ?? [];
  return Math.abs(Number(after) / Number(before) - 1) < 0.001;
}

/** The previous month (UTC), which has ended. */
function monthAgo(): string {
  const today = new Date();
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString().slice(0, 7);
}

const platformNow = (expression: string) =>
  `CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$SELECT ${expression}$$`;

async function inDatabase(
  dataDir: string,
  statements: readonly string[],
  then: (client: pg.Client) => Promise<void> = async () => {},
): Promise<void> {
  const client = new pg.Client(embeddedDatabaseUrl(dataDir));
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
    await then(client);
  } finally {
    await client.end();
  }
}

/** The pids of a data folder's guests, by id, from their command lines. */
function guests(dataDir: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const name = /guest=([0-9a-f-]{36})|-uuid\0([0-9a-f-]{36})/.exec(command);
      if (command.startsWith('qemu-system') && (command + environment).includes(dataDir) && name) {
        found.set(name[1] ?? name[2] ?? '', Number(pid));
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...Object.fromEntries(settingNames.map((name) => [name, ''])),
    ...settings,
    DATA_DIR: dataDir,
    HOME: dirname(dataDir),
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
  };
}

function run({ folder, uid, gid }: Installation, dataDir: string, ...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: folder, uid, gid, env: environment(dataDir), stdio: 'inherit' });
}

/** The embedded database of a data folder, in a separate process as the runner: it must not run as root's child. */
async function databaseAs({ uid, gid }: Runner, dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/upgrade/database.ts', dataDir], {
    uid,
    gid,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [undefined])]);
  if (!line) throw new Error('the database did not start');
  return {
    url: String(line).trim(),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Starts the migrations of a release, and kills them while they wait for a table that another transaction has locked.
 */
async function killedMigration(installation: Installation, dataDir: string): Promise<void> {
  const database = await databaseAs(installation, dataDir);
  try {
    await inDatabase(dataDir, ['BEGIN', `LOCK TABLE ${LOCKED_TABLE} IN ACCESS SHARE MODE`], async (client) => {
      const { folder, uid, gid } = installation;
      const generate =
        "import { generateDatabaseClient } from './lib/runtime/generate.ts'; await generateDatabaseClient();";
      run(installation, dataDir, '--import', 'tsx', '--input-type=module', '-e', generate);
      const migrating = spawn(process.execPath, ['--import', 'tsx', 'lib/runtime/prepare.ts'], {
        cwd: folder,
        uid,
        gid,
        env: { ...environment(dataDir), DATABASE_URL: database.url },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const ended = once(migrating, 'exit');
      const waiting =
        "SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = 'nephele')";
      for (let look = 0; look < 600; look += 1) {
        if ((await client.query(waiting)).rowCount !== 0) break;
        if (migrating.exitCode !== null)
          throw new Error(`The migrations ended without a look at ${LOCKED_TABLE}; set UPGRADE_LOCK`);
        await delay(100);
      }
      migrating.kill('SIGKILL');
      await ended;
      await client.query('ROLLBACK');
    });
  } finally {
    await database.stop();
  }
}
