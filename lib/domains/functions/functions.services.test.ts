import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { ensureKeys } from '@/lib/runtime/keys';
import { forgetSettings } from '@/lib/settings';

// An engine of its own: another file of this project runs at the same time.
const dataDir = mkdtempSync(join(tmpdir(), 'neph-fns-'));
process.env.DATA_DIR = dataDir;
forgetSettings();
ensureKeys();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const { functionWorldContract } = await import('@/lib/testing/function-world-contract');
await functionWorldContract();
