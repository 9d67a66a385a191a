import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Loki needs some seconds, and longer on a busy machine. */
const READY_MS = 60_000;

/** Whether the real Loki can run here. */
export const hasLoki = spawnSync('loki', ['--version']).error === undefined;

/** A Loki of one process with the settings that docs/operators.md names, and without limits of time and rate: tests write many old lines. */
const configuration = (port: number, folder: string) => `
auth_enabled: false
server: { http_listen_address: 127.0.0.1, http_listen_port: ${port}, grpc_listen_address: 127.0.0.1, grpc_listen_port: 0, log_level: error }
common:
  instance_addr: 127.0.0.1
  path_prefix: ${folder}
  replication_factor: 1
  ring: { kvstore: { store: inmemory } }
  storage: { filesystem: { chunks_directory: ${folder}/chunks, rules_directory: ${folder}/rules } }
schema_config:
  configs: [{ from: 2020-01-01, store: tsdb, object_store: filesystem, schema: v13, index: { prefix: index_, period: 24h } }]
limits_config:
  discover_service_name: []
  discover_log_levels: false
  max_query_series: 50000
  reject_old_samples: false
  ingestion_rate_mb: 1000
  ingestion_burst_size_mb: 1000
  per_stream_rate_limit: 1GB
  per_stream_rate_limit_burst: 1GB
  max_query_length: 0
ingester: { lifecycler: { min_ready_duration: 0s, final_sleep: 0s } }
analytics: { reporting_enabled: false }
`;

type RunningLoki = {
  flush(): Promise<void>;
  /** Size of its stored chunks. */
  bytes(): number;
  stop(): Promise<void>;
};

/** Starts Loki on a port. `flush` stores its lines: it does not look for old ones in its memory. `stop` removes everything. */
export async function startLoki(port: number): Promise<RunningLoki> {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-loki-'));
  writeFileSync(join(folder, 'loki.yaml'), configuration(port, folder));
  const loki: ChildProcess = spawn('loki', ['-config.file=loki.yaml'], { cwd: folder, stdio: 'ignore' });
  const ended = once(loki, 'exit');
  await untilReady(port);
  return {
    async flush() {
      const { status } = await fetch(`http://127.0.0.1:${port}/flush`, { method: 'POST' });
      if (status !== 204) throw new Error(`Loki answered a flush with ${status}`);
    },
    bytes: () => Number(spawnSync('du', ['-sb', join(folder, 'chunks')], { encoding: 'utf8' }).stdout.split('\t')[0]),
    async stop() {
      loki.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(port: number): Promise<void> {
  const latest = performance.now() + READY_MS;
  while ((await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status !== 200) {
    if (performance.now() > latest) throw new Error('Loki does not become ready');
    await sleep(200);
  }
}
