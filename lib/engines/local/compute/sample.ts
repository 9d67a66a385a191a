import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { DiskStats, InstanceSpec, InstanceStats } from '@/lib/domains/compute/engine';
import type { Host } from '../host';
import type { EgressReader } from '../network/egress';
import { tapName } from '../network/names';
import { cpuSecondsOf, findProcess } from '../processes';
import { type Monitor, withMonitor } from '../qmp';
import { volumeDevice } from '../storage/layers';
import { findInstance, monitorSocket } from './instance-record';

const blockStats = z.array(
  z.object({
    qdev: z.string().optional(),
    stats: z.object({
      rd_bytes: z.number(),
      wr_bytes: z.number(),
      rd_operations: z.number(),
      wr_operations: z.number(),
    }),
  }),
);

/** The id of a volume in the path of its device. */
const VOLUME = new RegExp(volumeDevice('([0-9a-f-]{36})'));

/** The counters of one running guest: from QEMU, from /proc and from the guest's own balloon driver. */
export async function sampleMachine(host: Host, id: string, egress: EgressReader): Promise<InstanceStats | null> {
  const machine = findProcess(host, 'qemu', id);
  const spec = await findInstance(host, id);
  if (!machine || !spec) return null;
  const { disks, guestMemory } = await withMonitor(monitorSocket(host, id), async (monitor) => ({
    disks: blockStats.parse(await monitor.execute('query-blockstats')),
    guestMemory: await guestMemoryUse(monitor),
  }));
  const writable = disks.filter(({ qdev }) => qdev?.includes('boot-disk') || qdev?.includes('volume-'));
  const portEgress = await Promise.all(
    spec.ports.map(async (port) => ({ id: port.id, bytes: await egress.bytesOf([port]) })),
  );
  return {
    sampledAt: new Date(),
    cpuSeconds: cpuSecondsOf(machine.pid),
    memoryBytes: guestMemory ?? (await residentBytes(machine.pid)),
    disk: sumOf(writable),
    volumes: writable.flatMap((disk) => {
      const id = VOLUME.exec(disk.qdev ?? '')?.[1];
      return id === undefined ? [] : [{ id, disk: sumOf([disk]) }];
    }),
    network: await networkBytes(machine.pid, spec),
    egressBytes: portEgress.reduce((total, { bytes }) => total + bytes, 0),
    portEgress,
  };
}

function sumOf(disks: z.output<typeof blockStats>): DiskStats {
  const sum = (pick: (stats: (typeof disks)[number]['stats']) => number) =>
    disks.reduce((total, { stats }) => total + pick(stats), 0);
  return {
    readBytes: sum(({ rd_bytes }) => rd_bytes),
    writtenBytes: sum(({ wr_bytes }) => wr_bytes),
    readOperations: sum(({ rd_operations }) => rd_operations),
    writeOperations: sum(({ wr_operations }) => wr_operations),
  };
}

const guestStats = z.object({ stats: z.record(z.string(), z.number()) });
/** What a balloon driver says of a value that it does not know: 2^64 − 1. */
const UNKNOWN = 2 ** 63;

async function guestMemoryUse(monitor: Monitor): Promise<number | null> {
  const path = '/machine/peripheral/balloon';
  try {
    await monitor.execute('qom-set', { path, property: 'guest-stats-polling-interval', value: 5 });
    const { stats } = guestStats.parse(await monitor.execute('qom-get', { path, property: 'guest-stats' }));
    const total = stats['stat-total-memory'] ?? UNKNOWN;
    const available = stats['stat-available-memory'] ?? UNKNOWN;
    return total < UNKNOWN && available < UNKNOWN ? total - available : null;
  } catch {
    return null;
  }
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** QEMU lives in its router's namespace, so its own view of the devices there has its taps; a tap receives what the guest sends. */
async function networkBytes(pid: number, spec: InstanceSpec): Promise<{ receivedBytes: number; sentBytes: number }> {
  const table = await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => '');
  let receivedBytes = 0;
  let sentBytes = 0;
  for (const { id } of spec.ports) {
    const columns = new RegExp(`^\\s*${tapName(id)}:\\s*(.*)$`, 'm').exec(table)?.[1]?.split(/\s+/) ?? [];
    sentBytes += Number(columns[0] ?? 0);
    receivedBytes += Number(columns[8] ?? 0);
  }
  return { receivedBytes, sentBytes };
}
