import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { asOrdinaryUser } from '@/lib/engines/local/services/test-subject';
import { ensureKeys } from '@/lib/runtime/keys';
import { forgetSettings } from '@/lib/settings';

// The database's socket is in the folder of the run, which belongs to root.
const sockets = /(?:host=|@)(%2F[^/&?]+|\/[^&]+)/.exec(inject('postgres').adminUrl)?.[1];
if (process.getuid?.() === 0 && sockets) {
  const folder = decodeURIComponent(sockets);
  for (const each of [folder, dirname(folder)]) chmodSync(each, 0o711);
  for (const name of readdirSync(folder)) if (name.startsWith('.s.')) chmodSync(join(folder, name), 0o777);
}

await asOrdinaryUser(async () => {
  // An engine of its own; and the folder of the run belongs to root.
  const dataDir = mkdtempSync(join(tmpdir(), 'neph-gateway-'));
  process.env.DATA_DIR = dataDir;
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  forgetSettings();
  ensureKeys();
  const { gatewayContract } = await import('@/lib/testing/gateway-contract');
  await gatewayContract('as an ordinary user');
});
