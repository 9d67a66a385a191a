import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';

/** Whether Debian’s Prometheus is installed. */
export const hasPrometheus =
  spawnSync('prometheus', ['--version']).status === 0 && spawnSync('promtool', ['--version']).status === 0;

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
