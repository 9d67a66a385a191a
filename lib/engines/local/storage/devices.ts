import { z } from 'zod';
import type { DiskLimits } from '@/lib/domains/compute/engine';
import { EngineError } from '../../error';
import { findInstance } from '../compute/instance-record';
import { qcow2Nodes, throttleGroup } from '../compute/qemu-command';
import { giveToGuest, type Host, shortHash } from '../host';
import { findImage, imageFile } from '../images/store';
import type { Monitor } from '../qmp';
import { waitFor } from '../turns';
import { filesOf } from './chain';
import { findVolume, layerFile, layerNode, type VolumeRecord, volumeDevice, volumeNode } from './layers';
import { extendReach, narrowReach } from './reach';

/**
 * A plugged volume in QEMU, from the top: a SCSI disk, a throttle, the QCOW2 head and its file. Nodes are named after
 * the volume and its layers, so that every step can see what an interrupted earlier one has done.
 */
const PREFIX = 'volume-';

const properties = z.array(z.object({ name: z.string() }));

/** Volumes that a running guest has, by what QEMU itself says. */
export async function pluggedVolumes(monitor: Monitor): Promise<string[]> {
  const devices = properties.parse(await monitor.execute('qom-list', { path: '/machine/peripheral' }));
  return devices.flatMap(({ name }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
}

/** Puts a volume into a running guest; what a broken earlier try left behind is taken out first. */
export async function plugVolume(
  host: Host,
  monitor: Monitor,
  volume: VolumeRecord,
  instanceId: string,
  limits?: DiskLimits,
): Promise<void> {
  await dropNodes(monitor, volume);
  const file = layerFile(host, volume.head);
  await giveToGuest(host, file, instanceId, 0o600);
  await extendReach(host, instanceId, await filesOf(host, file));
  const node = layerNode(volume.head);
  const limit = volumeNode(volume.id);
  await monitor.execute('object-add', { 'qom-type': 'throttle-group', ...throttleGroup(`${limit}-limits`, limits) });
  for (const options of qcow2Nodes(node, file)) await monitor.execute('blockdev-add', options);
  await monitor.execute('blockdev-add', {
    driver: 'throttle',
    'node-name': limit,
    'throttle-group': `${limit}-limits`,
    file: node,
  });
  await monitor.execute('device_add', {
    driver: 'scsi-hd',
    id: volumeDevice(volume.id),
    bus: 'scsi.0',
    drive: limit,
    serial: volume.id,
    device_id: volume.id,
    vendor: 'NEPHELE',
    product: 'Volume',
    werror: 'stop',
    rerror: 'report',
  });
}

/** Takes a volume out of a running guest; SCSI asks for no consent, so a guest that hangs can't hold it. */
export async function unplugVolume(monitor: Monitor, volume: VolumeRecord): Promise<void> {
  const device = volumeDevice(volume.id);
  if ((await pluggedVolumes(monitor)).includes(volume.id)) {
    await monitor.execute('device_del', { id: device });
    const isGone = await monitor.sawEvent('DEVICE_DELETED', (data) => data.device === device, 15_000);
    if (!isGone) {
      throw new EngineError(
        'ENGINE_ERROR',
        'The guest did not release the volume. Unmount it there, or restart the instance.',
      );
    }
  }
  await dropNodes(monitor, volume);
}

/** Leaves a guest only the files that its boot disk and its plugged volumes stand on. */
export async function forgetUnplugged(host: Host, monitor: Monitor, instanceId: string): Promise<void> {
  const image = await findInstance(host, instanceId).then((spec) => spec && findImage(host, spec.disk.imageId));
  if (!image) return;
  const plugged = await Promise.all((await pluggedVolumes(monitor)).map((volumeId) => findVolume(host, volumeId)));
  const heads = plugged.flatMap((volume) => (volume ? layerFile(host, volume.head) : []));
  const files = await Promise.all(heads.map((head) => filesOf(host, head)));
  await narrowReach(host, instanceId, [imageFile(host, image), ...files.flat()]);
}

/** Makes a plugged volume larger; the guest is told. */
export async function growPlugged(monitor: Monitor, volume: VolumeRecord, bytes: number): Promise<void> {
  await monitor.execute('block_resize', { 'node-name': volumeNode(volume.id), size: bytes });
}

/**
 * Lets a plugged volume's guest write to the volume's head. After a crash it may still write to a layer below; whatever
 * is above that one is empty, and each becomes read-only beneath the next.
 * @param chain the volume's layers from the head downwards
 */
export async function moveToHead(
  host: Host,
  monitor: Monitor,
  chain: readonly string[],
  instanceId: string,
): Promise<void> {
  const found = await readNodes(monitor);
  // A layer under another one is read-only; one that was never opened by its own name was opened beneath its head.
  const written = chain.findLastIndex((layer) => found.get(layerNode(layer)) === 'writable');
  for (const [below, layer] of pairsUpwards(chain.slice(0, written + 1))) {
    const file = layerFile(host, layer);
    await giveToGuest(host, file, instanceId, 0o600);
    await extendReach(host, instanceId, [file]);
    for (const options of qcow2Nodes(layerNode(layer), file)) {
      if (found.has(String(options['node-name']))) continue;
      // The layer below is joined in the next step; opening it a second time from its file would clash with itself.
      await monitor.execute('blockdev-add', options.driver === 'qcow2' ? { ...options, backing: null } : options);
    }
    await monitor.execute('blockdev-snapshot', { node: layerNode(below), overlay: layerNode(layer) });
  }
}

function pairsUpwards(chain: readonly string[]): [below: string, layer: string][] {
  const upwards = chain.toReversed();
  return upwards.slice(1).map((layer, index) => [upwards[index] ?? layer, layer]);
}

/** How long copying the layers of one chain together may take. */
export const COPY_MS = 300_000;

const jobs = z.array(z.object({ id: z.string(), status: z.string(), error: z.string().optional() }));

/** Copies the layers between a plugged volume's head and `base` into the head, while the guest goes on. */
export async function mergeBelow(monitor: Monitor, volume: VolumeRecord, base: string | undefined): Promise<void> {
  const job = `merge-${shortHash(volume.id, 16)}`;
  const find = async () => jobs.parse(await monitor.execute('query-jobs')).find(({ id }) => id === job);
  if (!(await find())) {
    const below = base === undefined ? {} : { base };
    const keep = { 'auto-dismiss': false };
    await monitor.execute('block-stream', { 'job-id': job, device: layerNode(volume.head), ...below, ...keep });
  }
  const ended = await waitFor(async () => (await find())?.status === 'concluded', { timeoutMs: COPY_MS, everyMs: 100 });
  if (!ended) throw new EngineError('ENGINE_ERROR', `Volume ${volume.id} is still copying data.`);
  const error = (await find())?.error;
  await monitor.execute('job-dismiss', { id: job });
  if (error !== undefined)
    throw new EngineError('ENGINE_ERROR', `Copying data of volume ${volume.id} failed: ${error}`);
  await dropUnusedLayers(monitor);
}

const nodes = z.array(z.object({ 'node-name': z.string(), ro: z.boolean() }));

async function readNodes(monitor: Monitor): Promise<Map<string, 'writable' | 'read-only'>> {
  const present = nodes.parse(await monitor.execute('query-named-block-nodes', { flat: true }));
  return new Map(present.map((node) => [node['node-name'], node.ro ? 'read-only' : 'writable']));
}

/** Takes out a volume's nodes, from the top. */
async function dropNodes(monitor: Monitor, volume: VolumeRecord): Promise<void> {
  const limit = volumeNode(volume.id);
  if ((await readNodes(monitor)).has(limit)) await monitor.execute('blockdev-del', { 'node-name': limit });
  await dropUnusedLayers(monitor);
  await monitor.execute('object-del', { id: `${limit}-limits` }).catch(() => {});
}

/** Closes the layers that nothing stands on; QEMU itself refuses to drop what is in use. */
async function dropUnusedLayers(monitor: Monitor): Promise<void> {
  const layers = [...(await readNodes(monitor)).keys()].filter((name) => name.startsWith('layer-'));
  const isFile = (name: string) => name.endsWith('-file');
  for (const name of [...layers.filter((layer) => !isFile(layer)), ...layers.filter(isFile)]) {
    await monitor.execute('blockdev-del', { 'node-name': name }).catch(() => {});
  }
}
