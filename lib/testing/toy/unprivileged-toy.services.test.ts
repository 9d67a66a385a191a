import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { asOrdinaryUser } from '@/lib/engines/local/services/test-subject';

/** Gives every user access to the socket of this run's PostgreSQL. */
function openPostgres(): void {
  const folder = new URL(inject('postgres').adminUrl).searchParams.get('host');
  if (process.getuid?.() !== 0 || !folder) return;
  for (const path of [folder, dirname(folder)]) chmodSync(path, 0o711);
  for (const name of readdirSync(folder)) if (name.startsWith('.s.PGSQL')) chmodSync(join(folder, name), 0o777);
}

openPostgres();
await asOrdinaryUser(async () => {
  // The data folder of this run belongs to root. Settings are read on their first import.
  process.env.DATA_DIR = mkdtempSync(join(tmpdir(), 'neph-toys-'));
  const { ensureKeys } = await import('@/lib/runtime/keys');
  ensureKeys();
  const { toySuite } = await import('./toy-suite');
  await toySuite('an ordinary user');
});
