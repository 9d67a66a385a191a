import { z } from 'zod';
import type { DiskLimits } from '@/lib/compute/engine';
import { qcow2Nodes, throttleGroup } from '../compute/qemu-command';
import { giveToGuest, type Host } from '../host';
import type { Monitor } from '../qmp';
import { layerFile, layerNode, type VolumeRecord, volumeDevice, volumeNode } from './layers';

const properties = z.array(z.object({ name: z.string() }));

/** Volumes that a running guest has, by what QEMU itself says. */
export async function pluggedVolumes(monitor: Monitor): Promise<string[]> {
  const devices = properties.parse(await monitor.execute('qom-list', { path: '/machine/peripheral' }));
  return devices.flatMap(({ name }) => (name.startsWith('volume-') ? name.slice('volume-'.length) : []));
}

/** Puts a volume into a running guest; what a broken earlier try left behind is taken out first. */
export async function plugVolume(
  host: Host,
  monitor: Monitor,
  volume: VolumeRecord,
  instanceId: string,
  limits?: DiskLimits,
) {
  await dropNodes(monitor, volume);
  const file = layerFile(host, volume.head);
  await giveToGuest(host, file, instanceId, 0o600);
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
    await monitor.sawEvent('DEVICE_DELETED', (data) => data.device === device, 10_000);
  }
  await dropNodes(monitor, volume);
}

const nodes = z.array(z.object({ 'node-name': z.string() }));

async function dropNodes(monitor: Monitor, volume: VolumeRecord): Promise<void> {
  const present = nodes.parse(await monitor.execute('query-named-block-nodes', { flat: true }));
  const names = new Set(present.map((node) => node['node-name']));
  const limit = volumeNode(volume.id);
  for (const name of [limit, layerNode(volume.head), `${layerNode(volume.head)}-file`]) {
    if (names.has(name)) await monitor.execute('blockdev-del', { 'node-name': name });
  }
  await monitor.execute('object-del', { id: `${limit}-limits` }).catch(() => {});
}
