import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it as test } from 'vitest';
import { z } from 'zod';
import { inGuest } from '@/lib/engines/contract/subject';
import { embeddedDatabaseUrl } from '@/lib/runtime/embedded-database';
import { applyTestSettings } from '../environment';
import { NANO, TINY_IMAGE } from '../hosts';
import { type Platform, startPlatform } from '../platform';
import { seededRandom } from '../random';
import { StubbornClient } from './client';
import { killAtRandom } from './killer';
import { Acknowledged, broken, Operator } from './operator';

const MINUTE_MS = 60_000;
/**
 * The default seed kills every part, and a failed run can be repeated.
 * `FAULT_SEED=7 FAULT_SECONDS=60 npx vitest run lib/testing/faults` uses another seed and duration.
 */
const seconds = Number(process.env.FAULT_SECONDS || 15);
const seed = Number(process.env.FAULT_SEED || 280);
/** The tests form a sequence: a retry of one of them would start in the middle. */
const NEVER = 0;
const LIMIT = 10;
/** Only root can see everything that is left on a host: rules, namespaces and groups of others. */
const seesAll = process.getuid?.() === 0;
const it = test.runIf(seesAll);

const identified = z.object({ id: z.string(), is_default: z.boolean().optional() });
const answered = z.object({ id: z.string() });

let platform: Platform;
let client: StubbornClient;
let networkId: string;
const known = new Acknowledged();

/** The platform's own code in this process, with the data folder and database of the running platform. */
async function onTheHost() {
  const [{ disagreements, remains }, { engineOf }, { closePool }, { ownCell }] = await Promise.all([
    import('./agreement'),
    import('@/lib/engines/engines'),
    import('@/lib/core/db/pool'),
    import('@/lib/settings'),
  ]);
  return { disagreements, remains, engines: engineOf(ownCell()), closePool };
}

/**
 * Waits until nothing is in progress and everything agrees. @returns the disagreements that remain at the time limit
 */
async function agreed(timeoutMs: number): Promise<string[]> {
  const { disagreements } = await onTheHost();
  const until = Date.now() + timeoutMs;
  for (;;) {
    const found = await disagreements().catch((error: Error) => [error.message]);
    if (found.length === 0 || Date.now() > until) return found;
    await delay(2000);
  }
}

const inMachine = async (id: string, command: string) => {
  const { engines } = await onTheHost();
  return inGuest(engines.compute, id, (shell) => shell.eventually(command));
};
const deviceOf = (volume: string) =>
  `$(for d in /sys/block/sd?; do strings $d/device/vpd_pg80 | grep -q ${volume} && echo /dev/\${d##*/}; done)`;

beforeAll(async () => {
  if (!seesAll) return;
  console.log(`seed ${seed}, ${seconds} s of kills`);
  platform = await startPlatform({ HOST_ID: 'test-host' });
  const database = embeddedDatabaseUrl(platform.dataDir);
  applyTestSettings({ DATA_DIR: platform.dataDir, ...(database ? { DATABASE_URL: database } : {}) });
  client = new StubbornClient(platform.url);
  const [network] = await client.list('/network/networks', identified);
  networkId = network?.id ?? '';
}, 10 * MINUTE_MS);

afterAll(async () => {
  await platform?.dispose();
}, 3 * MINUTE_MS);

it('of 50 parallel creates at limit 10 exactly 10 exist, and all of them boot', {
  timeout: 8 * MINUTE_MS,
  retry: NEVER,
}, async () => {
  const body = { flavor_id: NANO, image_id: TINY_IMAGE, network_id: networkId };
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => client.call('POST', '/compute/instances', { name: `vm ${n}`, ...body })),
  );
  const admitted = replies.filter(({ status }) => status === 201);
  const refused = replies.filter(({ status }) => status !== 201);
  expect(admitted).toHaveLength(LIMIT);
  expect(new Set(refused.map((reply) => JSON.stringify(reply)))).toEqual(
    new Set([
      JSON.stringify({
        status: 403,
        body: {
          detail: `Quota exceeded for instances: limit ${LIMIT}, in use ${LIMIT}. Ask an administrator to raise instances_limit.`,
        },
      }),
    ]),
  );
  for (const { body: instance } of admitted) known.machines.set(answered.parse(instance).id, { power: 'running' });
  expect(await agreed(6 * MINUTE_MS)).toEqual([]);
  expect(await broken(client, known)).toEqual([]);
  for (const id of known.machines.keys()) expect(await inMachine(id, 'uname')).toBe('Linux');
});

it('whatever is killed, every acknowledged change holds in the end, and everything agrees', {
  timeout: 15 * MINUTE_MS + seconds * 1000,
  retry: NEVER,
}, async () => {
  const random = seededRandom(seed);
  const groups = await client.list('/network/security-groups', identified);
  const group = groups.find(({ is_default }) => is_default)?.id ?? '';
  const operator = new Operator(client, known, random, networkId, group);

  const [keeper = ''] = known.machines.keys();
  const disk = (await operator.createDisk()) ?? '';
  expect(await agreed(MINUTE_MS)).toEqual([]);
  await client.call('POST', `/storage/volumes/${disk}/attach`, { instance_id: keeper });
  known.disks.set(disk, { instance: keeper, size_gb: 1 });
  for (const id of [keeper, disk]) known.kept.add(id);
  expect(await agreed(MINUTE_MS)).toEqual([]);
  await inMachine(keeper, `mke2fs -q ${deviceOf(disk)} 2>&1 && mount -t ext4 ${deviceOf(disk)} /mnt`);
  await inMachine(keeper, 'echo kept > /mnt/file && echo kept > /root/file && sync && umount /mnt');

  const ending = new AbortController();
  const killing = killAtRandom(platform, seededRandom(seed + 1), ending.signal);
  const until = Date.now() + seconds * 1000;
  try {
    while (Date.now() < until) {
      await operator.act();
      await delay(random() * 400);
    }
  } finally {
    ending.abort();
    console.log(`killed: ${(await killing).join(' ')}`);
    console.log(operator.log.join('\n'));
  }

  expect(await agreed(5 * MINUTE_MS)).toEqual([]);
  expect(client.complaints).toEqual([]);
  expect(await broken(client, known)).toEqual([]);
  const state = known.machines.get(keeper)?.power;
  const wake = { running: undefined, paused: 'unpause', stopped: 'start' }[state ?? 'running'];
  if (wake) await client.call('POST', `/compute/instances/${keeper}/action`, { action: wake });
  expect(await agreed(2 * MINUTE_MS)).toEqual([]);
  expect(await inMachine(keeper, 'cat /root/file')).toBe('kept');
  expect(await inMachine(keeper, `mount -t ext4 ${deviceOf(disk)} /mnt && cat /mnt/file && umount /mnt`)).toContain(
    'kept',
  );
});

it('deletes leave nothing and release the quota', { timeout: 6 * MINUTE_MS, retry: NEVER }, async () => {
  const remove = async (path: string) => {
    for (const { id } of await client.list(path, answered)) await client.call('DELETE', `${path}/${id}`);
  };
  await remove('/network/floating-ips');
  await remove('/compute/instances');
  expect(await agreed(3 * MINUTE_MS)).toEqual([]);
  // A volume can be deleted after its snapshots, and a snapshot after the volumes created from it.
  for (let rest = 1; rest > 0; ) {
    await remove('/storage/snapshots');
    await remove('/storage/volumes');
    rest = (await client.list('/storage/volumes', answered)).length;
    await delay(200);
  }
  expect(await agreed(MINUTE_MS)).toEqual([]);
  const { body } = await client.call('GET', '/tenant/quota');
  const nothing = { used: 0 };
  expect(body).toMatchObject({
    instances: nothing,
    vcpus: nothing,
    ram_gb: nothing,
    volumes: nothing,
    storage_tb: nothing,
  });
});

it('after a stop the platform leaves nothing on the host', { timeout: 3 * MINUTE_MS, retry: NEVER }, async () => {
  const { closePool, remains } = await onTheHost();
  await closePool();
  expect(await platform.stop()).toMatchObject({ code: 0 });
  expect(await remains(platform.dataDir)).toEqual([]);
});
