import { chmodSync, chownSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { asOrdinaryUser, ORDINARY_USER } from '@/lib/engines/local/services/test-subject';

/** Lets the ordinary user reach the socket of this run's PostgreSQL by its group, and no other user, such as a guest's. */
function openPostgres(): void {
  const folder = new URL(inject('postgres').adminUrl).searchParams.get('host');
  if (process.getuid?.() !== 0 || !folder) return;
  const sockets = readdirSync(folder).filter((name) => name.startsWith('.s.PGSQL'));
  for (const path of [folder, ...sockets.map((name) => join(folder, name))]) {
    chownSync(path, statSync(path).uid, ORDINARY_USER);
    chmodSync(path, path === folder ? 0o710 : 0o770);
  }
}

openPostgres();
await asOrdinaryUser(async () => {
  // The data folder of this run belongs to root. Settings are read on their first import.
  process.env.DATA_DIR = mkdtempSync(join(tmpdir(), 'neph-layers-'));
  // npm keeps its cache at home, and passes that of its own caller on.
  process.env.HOME = process.env.DATA_DIR;
  for (const name of Object.keys(process.env)) if (/^npm_config_/i.test(name)) delete process.env[name];
  const { ensureKeys } = await import('@/lib/runtime/keys');
  ensureKeys();
  const { layerSuite } = await import('@/lib/testing/layer-suite');
  await layerSuite('an ordinary user');
});
