import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@/lib/core/db/migrate';
import { startTemporaryPostgres } from '@/lib/runtime/temporary-postgres';

/**
 * `npm run bench`: measures ratios within one run on a separate PostgreSQL and server, then the metric store, the
 * dashboard, the inventory, the log store and machines. `npm run bench -- api`, `-- metrics`, `-- dashboard`, `-- inventory`,
 * `-- logs`, `-- balancer`, `-- gateway`, `-- databases`, `-- objects`, `-- functions` and `-- machines` run one of them (`-- logs 10000000` with so many lines); `npm run bench -- endurance [SECONDS]` loads the whole platform instead.
 */
async function runBenchmarks([only, given]: readonly string[]): Promise<void> {
  const amount = given === undefined ? undefined : Number(given);
  if (only === 'endurance') {
    const { endure } = await import('./endurance');
    return endure(amount ?? 600);
  }
  if (only === undefined || only === 'api')
    await onOwnDatabase(async (url, folder) => (await import('./measure')).measure(url, folder));
  if (only === undefined || only === 'metrics')
    await onOwnDatabase(async () => (await import('./metrics')).measureMetrics());
  if (only === undefined || only === 'dashboard')
    await onOwnDatabase(async () => (await import('./dashboard')).measureDashboard());
  if (only === undefined || only === 'inventory')
    await onOwnDatabase(async () => (await import('./inventory')).measureInventory());
  if (only === undefined || only === 'logs')
    await onOwnDatabase(async (_, folder) => (await import('./logs')).measureLogs(folder, amount));
  if (only === undefined || only === 'balancer')
    await onOwnDatabase(async () => (await import('./balancer')).measureBalancer());
  if (only === undefined || only === 'gateway')
    await onOwnDatabase(async () => (await import('./gateway')).measureGateway());
  if (only === undefined || only === 'databases')
    await onOwnDatabase(async () => (await import('./databases')).measureDatabases());
  if (only === undefined || only === 'objects')
    await onOwnDatabase(async (_, folder) => (await import('./objects')).measureObjects(folder, given), true);
  if (only === undefined || only === 'functions')
    await onOwnDatabase(async () => (await import('./functions')).measureFunctions());
  if (only !== undefined && only !== 'machines') return;
  const { measureMachines } = await import('./machines');
  await measureMachines();
}

/**
 * Runs measurements on a separate PostgreSQL. They are imported late, because imports read settings and log level.
 * @param durable whether it syncs its files
 */
async function onOwnDatabase(measure: (url: string, folder: string) => Promise<void>, durable = false): Promise<void> {
  const postgres = await startTemporaryPostgres(durable);
  try {
    const url = postgres.url('postgres');
    await migrate(url);
    const dataDir = join(postgres.directory, 'data');
    mkdirSync(dataDir);
    Object.assign(process.env, {
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: '20',
      LOG_LINES_PER_SECOND: '1000000',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      RATE_LIMIT_BURST: '1000000000',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_WRITES_BURST: '1000000000',
      RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_HEAVY_BURST: '1000000000',
    });
    await measure(url, postgres.directory);
  } finally {
    const { closePool } = await import('@/lib/core/db/pool');
    await closePool();
    await postgres.stop();
  }
}

await runBenchmarks(process.argv.slice(2));
