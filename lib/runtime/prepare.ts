import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MigrationError, migrate } from '@/lib/core/db/migrate';
import { closePool } from '@/lib/core/db/pool';
import { bootstrap } from '@/lib/people/identity/bootstrap';
import { databaseUrl, settings } from '@/lib/settings';
import type { Prepared } from './announce';
import { keepHostId } from './host-id';
import { ensureKeys } from './keys';

const patienceMs = 60_000;

class UnreachableError extends Error {}

/** Waits for an external database, which may still be booting together with this machine. */
async function waitForDatabase(url: string): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      const starting = code === 'ECONNREFUSED' || code === '57P03' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
      if (!starting || Date.now() > deadline) {
        throw new UnreachableError(`The database cannot be reached: ${error instanceof Error ? error.message : error}`);
      }
      await delay(500);
    }
  }
}

// A separate process, so that the supervisor stays small: the loaded code is freed afterwards.
try {
  const url = settings().databaseListenUrl ?? databaseUrl();
  await waitForDatabase(url);
  const migrations = await migrate(url);
  ensureKeys();
  keepHostId(settings());
  const { accounts } = await bootstrap(settings());
  await closePool();
  const prepared: Prepared = { migrations, accounts };
  process.send?.(prepared);
  process.disconnect?.();
} catch (error) {
  const forOperators = error instanceof MigrationError || error instanceof UnreachableError;
  console.error(forOperators ? error.message : error);
  process.exit(1);
}
