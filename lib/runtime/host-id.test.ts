import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hostIdPath } from '@/lib/settings';
import { keepHostId } from './host-id';

let dataDir: string;

/** The host id of a newly started process. */
async function hostIdNow(env: { HOST_ID?: string } = {}): Promise<string> {
  vi.resetModules();
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('HOST_ID', env.HOST_ID);
  const { settings } = await import('@/lib/settings');
  return settings().hostId;
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'nephele-host-id-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true });
});

it('a renamed host keeps the name that its machines know', async () => {
  expect(await hostIdNow()).toBe(hostname());
  keepHostId({ dataDir, hostId: 'as-it-was' });
  expect(await hostIdNow()).toBe('as-it-was');
  keepHostId({ dataDir, hostId: 'renamed' });
  expect(readFileSync(hostIdPath(dataDir), 'utf8')).toBe('as-it-was\n');
});

it('the operator’s setting takes precedence', async () => {
  keepHostId({ dataDir, hostId: 'as-it-was' });
  expect(await hostIdNow({ HOST_ID: 'chosen' })).toBe('chosen');
});
