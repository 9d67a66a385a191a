import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM_PATH } from '@/lib/engines/local/programs';
import { testDatabase } from '@/lib/testing/database';
import { launch } from '@/lib/testing/machines';
import { api, createProject, createUser } from '@/lib/testing/world';

testDatabase();

const PROGRAM = 'qemu-system-x86_64';
const WAIT_MS = 180_000;

/** A worker for which a program of this host is not there: something that can't be run is mounted over it. */
function workerWithout(program: string) {
  const files = new Set(PROGRAM_PATH.split(delimiter).map((folder) => join(folder, program))).values();
  const hide = [...files].filter(isProgram).map((file) => `mount --bind /dev/null ${file}`);
  const script = [...hide, 'exec "$0" --import tsx lib/runtime/worker.ts'].join(' && ');
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, process.execPath], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Only root may hide a program from a process.
test.runIf(process.getuid?.() === 0)(
  'where a program is missing, the back office and whoever asks for a machine read its name and how to get it',
  { timeout: 2 * WAIT_MS },
  async () => {
    const worker = workerWithout(PROGRAM);
    onTestFinished(async () => {
      worker.kill('SIGTERM');
      if (worker.exitCode === null) await once(worker, 'exit');
    });
    const call = api();
    const { token } = await createUser('root@example.test', 'backoffice');
    const advice = expect.stringMatching(/qemu-system-x86_64.*apt install qemu-system-x86/);
    await expect
      .poll(async () => (await call('GET', '/admin/api/v1/engines', { token })).body, { timeout: WAIT_MS })
      .toContainEqual(expect.objectContaining({ engine: 'compute', status: 'unavailable', message: advice }));
    const acme = await createProject('acme');
    const refused = await launch(call, acme);
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { error: { code: 'ENGINE_UNAVAILABLE', message: advice } },
    ]);
    const quota = await call('GET', '/tenant/quota', { token: acme.users.reader.token });
    expect(quota.body).toMatchObject({ instances: { used: 0 }, ram_gb: { used: 0 } });
  },
);
