import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { ensureKeys } from '@/lib/runtime/keys';
import { forgetSettings } from '@/lib/settings';

// An engine of its own: another file of this project runs at the same time.
const dataDir = mkdtempSync(join(tmpdir(), 'neph-gateway-'));
process.env.DATA_DIR = dataDir;
forgetSettings();
ensureKeys();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const { gatewayContract } = await import('@/lib/testing/gateway-contract');
await gatewayContract('as this user');
