import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { reasonOf } from '@/lib/engines/error';
import { unpackDebian } from '@/lib/engines/local/catalogue/debian';
import { run } from '@/lib/engines/local/exec';
import { waitForLock } from '@/lib/lock';

const CACHE = join('.cache', 'prometheus');

/** Why Debian’s Prometheus cannot be run; empty if `prometheus` and `promtool` are on PATH now. */
export const noPrometheus = isOnPath() ? '' : await unpackToPath().then(() => '', reasonOf);
/** After the name of a test: why it is skipped. */
export const skipped = noPrometheus && ` (skipped: ${noPrometheus})`;

function isOnPath(): boolean {
  return ['prometheus', 'promtool'].every((program) => spawnSync(program, ['--version']).status === 0);
}

/** Unpacks the package without installing it, once for all tests of this folder. apt verifies it against the signed index. */
async function unpackToPath(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const root = resolve(CACHE, 'root');
  const lock = await waitForLock(join(CACHE, 'lock'));
  try {
    if (!existsSync(root)) await unpackInto(root);
  } finally {
    lock.release();
  }
  process.env.PATH = `${join(root, 'usr', 'bin')}:${process.env.PATH}`;
  if (!isOnPath()) throw new Error('Debian’s Prometheus does not run here');
}

async function unpackInto(root: string): Promise<void> {
  const downloads = mkdtempSync(join(tmpdir(), 'nephele-prometheus-'));
  const download = () =>
    run(['apt-get', 'download', '-qq', '-o', 'APT::Sandbox::User=root', 'prometheus'], {
      cwd: downloads,
      timeoutMs: 60_000,
    });
  try {
    await download().catch(() => run(['apt-get', 'update', '-qq'], { timeoutMs: 60_000 }).then(download));
    await unpackDebian(downloads, `${root}.new`);
    renameSync(`${root}.new`, root);
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

type Settings = {
  /** Samples in OpenMetrics, stored before the start. */
  samples?: readonly string[];
  /** Text of `prometheus.yml`. */
  configuration?: string;
};

/** Starts Prometheus on a port of 127.0.0.1, with its receiver of remote writes. `stop` removes everything. */
export async function startPrometheus(
  port: number,
  { samples, configuration = '' }: Settings = {},
): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-prometheus-'));
  if (samples) {
    writeFileSync(join(folder, 'samples'), `${samples.join('\n')}\n# EOF\n`);
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const argv = ['tsdb', 'create-blocks-from', 'openmetrics', 'samples', 'data'];
    expect(spawnSync('promtool', argv, options).stderr).toBe('');
  }
  writeFileSync(join(folder, 'prometheus.yml'), configuration);
  const argv = [
    '--config.file=prometheus.yml',
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
    '--storage.tsdb.path=data',
    '--storage.tsdb.retention.time=100y',
  ];
  const server = spawn('prometheus', argv, { cwd: folder, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const ready = async () => expect((await fetch(`http://127.0.0.1:${port}/-/ready`)).status).toBe(200);
  await vi.waitFor(ready, { timeout: 60_000 });
  return {
    async stop() {
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
