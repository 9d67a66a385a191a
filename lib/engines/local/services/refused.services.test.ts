import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { shellService } from '../../contract/service-subject';

test('a service whose isolation cannot be had is refused with the reason, and not run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'neph-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // What a container without CAP_SYS_ADMIN says, and a kernel without user namespaces.
  const unshare = join(folder, 'unshare');
  writeFileSync(unshare, '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n');
  chmodSync(unshare, 0o755);
  process.env.PATH = `${folder}:${process.env.PATH}`;
  // Where programs are is read once, when the engine is loaded.
  vi.resetModules();
  const { describeHost } = await import('../host');
  const { findProcesses } = await import('../processes');
  const { LocalServices } = await import('./local-services');
  const { serviceLimits } = await import('./limits');

  const host = describeHost({ dataDir: join(folder, 'data') });
  const services = new LocalServices(host);
  const spec = shellService(
    { shell: { program: { name: 'busybox', version: '1' }, argv: ['/bin/sh', '-c'] } },
    'exit 0',
  );
  await expect(services.ensureService(spec)).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('Operation not permitted'),
  });
  expect(await services.observeServices()).toEqual([]);
  expect(findProcesses(host)).toEqual([]);
  const found = (await serviceLimits(host)).find(({ limit }) => limit === 'namespaces');
  expect(found).toMatchObject({ level: 'refused', how: expect.stringContaining('Operation not permitted') });
});
