import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { reasonOf } from '@/lib/engines/error';
import { unpackDebian } from '@/lib/engines/local/catalogue/debian';
import { run } from '@/lib/engines/local/exec';
import { waitForLock } from '@/lib/lock';
import { forgetSettings } from '@/lib/settings';
import { freePort } from './loopback';

const CACHE = join('.cache', 'ceph');
const PROGRAMS = ['monmaptool', 'osdmaptool', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin'];
const isOnPath = () => PROGRAMS.every((program) => spawnSync('which', [program]).status === 0);

/** Why Debian’s Ceph cannot be run; empty if it can. */
export const noCeph = isOnPath() ? '' : await unpackOnce().then(() => '', reasonOf);

/** Unpacks Debian's packages without installing them, once for all tests of this folder. apt verifies them against the signed index. */
async function unpackOnce(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const lock = await waitForLock(join(CACHE, 'lock'));
  try {
    if (!existsSync(join(CACHE, 'root'))) await unpackInto(resolve(CACHE, 'root'));
  } finally {
    lock.release();
  }
}

async function unpackInto(root: string): Promise<void> {
  const downloads = mkdtempSync(join(tmpdir(), 'nephele-ceph-'));
  mkdirSync(join(downloads, 'partial'));
  const options = [`Dir::Cache::archives=${downloads}`, 'APT::Sandbox::User=root', 'Debug::NoLocking=1'];
  const argv = [
    '-y',
    '-qq',
    '--no-install-recommends',
    '--download-only',
    ...options.flatMap((option) => ['-o', option]),
  ];
  // What this host has already is not fetched.
  const download = () =>
    run(['apt-get', 'install', ...argv, 'ceph-mon', 'ceph-osd', 'radosgw'], { timeoutMs: 120_000 });
  try {
    await download().catch(() => run(['apt-get', 'update', '-qq'], { timeoutMs: 60_000 }).then(download));
    await unpackDebian(downloads, `${root}.new`);
    renameSync(`${root}.new`, root);
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

/** Variables by which the unpacked programs find each other; an installed Ceph needs none. */
function environment(): NodeJS.ProcessEnv {
  const root = resolve(CACHE, 'root');
  if (!existsSync(root)) return process.env;
  const libraries = ['lib', 'usr/lib'].flatMap((folder) =>
    namesIn(join(root, folder))
      .filter((name) => name.endsWith('-linux-gnu'))
      .flatMap((name) => [join(root, folder, name), join(root, folder, name, 'ceph')]),
  );
  return {
    ...process.env,
    PATH: `${join(root, 'usr', 'bin')}:${process.env.PATH}`,
    LD_LIBRARY_PATH: libraries.join(':'),
    CEPH_LIB: libraries.find((folder) => existsSync(join(folder, 'rados-classes'))),
  };
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** Starts Ceph and has the platform keep its buckets there, until `stop`. */
export async function startOutsideStore(): Promise<{ stop(): Promise<void> }> {
  const ceph = await startCeph();
  const before = process.env.S3_PUBLIC_URL;
  Object.assign(process.env, {
    S3_ENGINE: 'external',
    S3_EXTERNAL_URL: ceph.url,
    S3_PUBLIC_URL: ceph.url,
    S3_ADMIN_ACCESS_KEY: ceph.access_key,
    S3_ADMIN_SECRET_KEY: ceph.secret_key,
  });
  forgetSettings();
  return {
    async stop() {
      process.env.S3_ENGINE = 'local';
      if (before === undefined) delete process.env.S3_PUBLIC_URL;
      else process.env.S3_PUBLIC_URL = before;
      forgetSettings();
      await ceph.stop();
    },
  };
}

/** A running store, with a user who may administer accounts. */
export type TestCeph = { url: string; access_key: string; secret_key: string; stop(): Promise<void> };

/**
 * Starts Debian's Ceph with a monitor, one object store device that keeps its data in memory, and a RADOS gateway on 127.0.0.1.
 * `stop` removes everything.
 */
export async function startCeph(): Promise<TestCeph> {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-ceph-'));
  const [second = 0, first = 0, port = 0] = [await freePort(), await freePort(), await freePort()];
  const { CEPH_LIB: libraries, ...inherited } = environment();
  const env = { ...inherited, CEPH_CONF: join(folder, 'ceph.conf') };
  const fsid = randomUUID();
  const monitor = `[v2:127.0.0.1:${second},v1:127.0.0.1:${first}]`;
  writeFileSync(env.CEPH_CONF, configuration({ folder, fsid, monitor, port, libraries }));
  const tool = (program: string, ...argv: string[]) => {
    const { status, stdout, stderr, error } = spawnSync(program, argv, {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 90_000,
    });
    if (status !== 0) throw new Error(`${program} failed: ${error ?? stderr.slice(-2000)}`);
    return stdout;
  };
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name));
  const running: ChildProcess[] = [];
  const launch = (program: string, ...argv: string[]) =>
    running.push(spawn(program, [...argv, '-f'], { cwd: folder, env, stdio: 'ignore' }));
  const stop = async () => {
    for (const server of running.reverse()) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const key = (name: string, ...caps: string[]) =>
      tool('ceph-authtool', 'keyring', '--gen-key', '-n', name, ...caps.flatMap((cap) => ['--cap', ...cap.split('=')]));
    tool('ceph-authtool', '--create-keyring', 'keyring');
    key('mon.', 'mon=allow *');
    key('client.admin', 'mon=allow *', 'osd=allow *');
    key('osd.0', 'mon=allow profile osd', 'osd=allow *');
    tool('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', monitor, 'monmap');
    tool('osdmaptool', '--createsimple', '1', 'osdmap');
    const mon = ['-i', 'a', '--mon-data', join(folder, 'mon')];
    tool('ceph-mon', ...mon, '--mkfs', '--keyring', 'keyring', '--monmap', 'monmap', '--osdmap', 'osdmap');
    launch('ceph-mon', ...mon);
    const osd = ['-i', '0', '--osd-data', join(folder, 'osd')];
    tool('ceph-osd', ...osd, '--mkfs', '--osd-uuid', randomUUID());
    launch('ceph-osd', ...osd);
    const caps = 'users=*;buckets=*;usage=read;metadata=read';
    const made = tool('radosgw-admin', 'user', 'create', '--uid=operator', '--display-name=operator', `--caps=${caps}`);
    const { keys } = JSON.parse(made);
    launch('radosgw', '-n', 'client.admin');
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout: 90_000, interval: 250 });
    return { url, access_key: keys[0].access_key, secret_key: keys[0].secret_key, stop };
  } catch (error) {
    const logs = namesIn(folder).filter((name) => name.endsWith('.log'));
    const tail = logs.map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').slice(-500)}`).join('\n');
    await stop();
    throw new Error(`Ceph does not start: ${reasonOf(error)}\n${tail}`, { cause: error });
  }
}

type Wish = { folder: string; fsid: string; monitor: string; port: number; libraries: string | undefined };

const configuration = ({ folder, fsid, monitor, port, libraries }: Wish) => `[global]
fsid = ${fsid}
mon host = ${monitor}
keyring = ${folder}/keyring
ms bind ipv6 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
mon data avail crit = 1
log to stderr = false
log file = ${folder}/$name.log
run dir = ${folder}
admin socket =
rgw data = ${folder}
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = true
rgw usage log tick interval = 1
rgw usage log flush threshold = 1
${libraries ? `plugin dir = ${libraries}/ceph\nerasure code dir = ${libraries}/ceph/erasure-code\nosd class dir = ${libraries}/rados-classes\n` : ''}`;
