import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@/lib/core/db/migrate';
import { startTemporaryPostgres } from '@/lib/runtime/temporary-postgres';

/**
 * `npm run bench`: a PostgreSQL of its own, a server of its own, and ratios that hold within this one run; then machines.
 * `npm run bench -- api` and `npm run bench -- machines` measure one of both; `npm run bench -- endurance [SECONDS]` loads
 * the whole platform instead.
 */
async function runBenchmarks([only, duration]: readonly string[]): Promise<void> {
  if (only === 'endurance') {
    const { endure } = await import('./endurance');
    return endure(Number(duration ?? 600));
  }
  if (only !== 'machines') await measureApi();
  if (only === 'api') return;
  const { measureMachines } = await import('./machines');
  await measureMachines();
}

async function measureApi(): Promise<void> {
  const postgres = await startTemporaryPostgres();
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
      RATE_LIMIT_PER_MINUTE: '1000000000',
      RATE_LIMIT_BURST: '1000000000',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_WRITES_BURST: '1000000000',
      RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE: '1000000000',
      RATE_LIMIT_PROJECT_HEAVY_BURST: '1000000000',
    });
    // Settings and log level are read with the first import.
    const { measure } = await import('./measure');
    await measure(url, postgres.directory);
  } finally {
    await postgres.stop();
  }
}

await runBenchmarks(process.argv.slice(2));
