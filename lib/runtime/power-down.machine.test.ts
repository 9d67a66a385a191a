import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { describeHost } from '@/lib/engines/local/host';
import { existingNamespaces } from '@/lib/engines/local/network/namespaces';
import { findProcesses } from '@/lib/engines/local/processes';
import { settingNames } from '@/lib/settings';
import { StubbornClient } from '@/lib/testing/faults/client';
import { NANO, TINY_IMAGE } from '@/lib/testing/hosts';
import { type Platform, startPlatform } from '@/lib/testing/platform';
import { findSupervised } from './leftovers';

const MINUTE_MS = 60_000;
const identified = z.object({ id: z.string() });
const machine = z.object({ id: z.string(), name: z.string(), status: z.string() });

/** Only root can see everything that is left on a host. */
const seesAll = process.getuid?.() === 0;

let platform: Platform;
beforeAll(async () => {
  if (!seesAll) return;
  platform = await startPlatform();
}, 10 * MINUTE_MS);
afterAll(async () => {
  await platform?.dispose();
}, 3 * MINUTE_MS);

/** Waits until the project's instances have these statuses. @returns their ids by name */
async function machinesAre(statuses: Record<string, string>): Promise<Record<string, string>> {
  const client = new StubbornClient(platform.url);
  const list = () => client.list('/compute/instances', machine);
  await expect
    .poll(async () => Object.fromEntries((await list()).map(({ name, status }) => [name, status])), {
      timeout: 5 * MINUTE_MS,
      interval: 500,
    })
    .toEqual(statuses);
  return Object.fromEntries((await list()).map(({ name, id }) => [name, id]));
}

test.runIf(seesAll)(
  'after a kill, power-down shuts running guests down by power button, and the next start boots them again',
  {
    timeout: 15 * MINUTE_MS,
  },
  async () => {
    const { dataDir } = platform;
    const host = describeHost({ dataDir });
    const client = new StubbornClient(platform.url);
    const [network] = await client.list('/network/networks', identified);
    for (const name of ['on', 'off']) {
      const body = { name, flavor_id: NANO, image_id: TINY_IMAGE, network_id: network?.id };
      await client.call('POST', '/compute/instances', body);
    }
    const { on = '', off = '' } = await machinesAre({ on: 'active', off: 'active' });
    await client.call('POST', `/compute/instances/${off}/action`, { action: 'stop' });
    await machinesAre({ on: 'active', off: 'stopped' });

    const nothingGiven = Object.fromEntries(settingNames.map((setting) => [setting, '']));
    const admin = (given: Record<string, string> = {}) =>
      spawnSync(process.execPath, ['lib/runtime/admin.mjs', 'power-down'], {
        env: { ...process.env, ...nothingGiven, DATA_DIR: dataDir, ...given },
        encoding: 'utf8',
      });
    expect(admin()).toMatchObject({ status: 1, stderr: expect.stringContaining('The platform is running') });
    await platform.kill();
    expect(findProcesses(host)).toContainEqual(expect.objectContaining({ role: 'qemu', id: on }));

    const stranger = admin({ HOST_ID: 'another-host' });
    expect(stranger).toMatchObject({ status: 1, stderr: expect.stringContaining('no host named another-host') });
    expect(findProcesses(host)).toContainEqual(expect.objectContaining({ role: 'qemu', id: on }));

    expect(admin()).toMatchObject({ status: 0, stdout: expect.stringContaining('are down') });
    expect(findProcesses(host)).toEqual([]);
    expect(findSupervised(dataDir)).toEqual([]);
    expect(await existingNamespaces(host)).toEqual([]);
    const log = readFileSync(join(host.directory, 'instances', on, 'console.log'), 'utf8');
    expect(log).toContain('reboot: Power down');

    platform = await startPlatform({}, dataDir);
    await machinesAre({ on: 'active', off: 'stopped' });
    expect(findProcesses(host).filter(({ role }) => role === 'qemu')).toEqual([expect.objectContaining({ id: on })]);
  },
);
