import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeHost, type Host, prepareHost } from './host';
import { removePath } from './record';

/** As a process that has just started knows it. */
async function isSandboxing(host: Host): Promise<boolean> {
  vi.resetModules();
  return (await import('./confinement')).isSandboxing(host);
}

test('what ran in a sandbox never starts without one, because a trial failed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'neph-trial-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const host = describeHost({ dataDir, isolation: 'user' });
  await prepareHost(host);
  const mountPoint = join(host.directory, 'sandbox');
  await removePath(mountPoint);
  expect(await isSandboxing(host)).toBe(false);
  await prepareHost(host);
  expect(await isSandboxing(host)).toBe(true);
  await removePath(mountPoint);
  await expect(isSandboxing(host)).rejects.toMatchObject({ code: 'ENGINE_ERROR' });
  await removePath(join(host.directory, 'sandboxes.json'));
  expect(await isSandboxing(host)).toBe(false);
});
