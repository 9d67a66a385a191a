import { lstat, readdir, readFile, statfs } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { HostCapacity, InstanceSpec } from '@/lib/domains/compute/engine';
import { EngineError } from '../../error';
import { promisedToFunctions } from '../functions/promised';
import type { Host } from '../host';
import { findProcesses } from '../processes';
import { promisedToServices } from '../services/promised';
import { allInstances } from './instance-record';

/** vCPUs per processor, the default of other clouds: most guests sleep most of the time. */
const VCPU_OVERCOMMIT = 16;
/** Memory of a machine beside its guest's: QEMU itself and its translation cache. */
const OVERHEAD_MB = 160;
/** Memory that guests never get. */
const HOST_RESERVE_MB = 512;

/** The room of the host for machines and services, and what the running ones were promised. */
export async function measureCapacity(host: Host): Promise<HostCapacity> {
  const running = new Set(findProcesses(host).flatMap(({ role, id }) => (role === 'qemu' ? id : [])));
  const guests = [...(await allInstances(host)).values()].filter(({ id }) => running.has(id));
  const { totalMb, availableMb } = await hostMemory();
  const total = Math.max(0, totalMb - HOST_RESERVE_MB);
  const [services, functions] = await Promise.all([promisedToServices(host), promisedToFunctions(host)]);
  const unusedMb = services.unusedMb + functions.unusedMb;
  const committed = guests.reduce(
    (sum, { ramMb }) => sum + ramMb + OVERHEAD_MB,
    services.memoryMb + functions.memoryMb,
  );
  const disk = await statfs(host.directory);
  return {
    vcpus: {
      total: cpus().length * VCPU_OVERCOMMIT,
      committed: guests.reduce((sum, { vcpus }) => sum + vcpus, services.vcpus),
    },
    // Guests have not touched all that they were promised, so available memory alone is no measure of what is free.
    memoryMb: {
      total,
      committed,
      free: Math.max(0, Math.min(total - committed, availableMb - HOST_RESERVE_MB - unusedMb)),
      overhead: OVERHEAD_MB,
    },
    diskBytes: {
      total: disk.blocks * disk.bsize,
      free: Math.max(0, disk.bavail * disk.bsize - host.diskFloorBytes),
      held: await heldBytes(host),
    },
    gpuSlices: 0,
  };
}

/** @throws EngineError `CAPACITY_EXHAUSTED` when the guest does not fit */
export async function requireRoom(host: Host, spec: InstanceSpec): Promise<void> {
  const { vcpus, memoryMb, diskBytes } = await measureCapacity(host);
  const needed = spec.ramMb + OVERHEAD_MB;
  if (memoryMb.free < needed) {
    throw full(`${Math.floor(memoryMb.free)} MB of memory left, ${needed} MB needed`);
  }
  if (vcpus.total - vcpus.committed < spec.vcpus) {
    throw full(`${vcpus.total - vcpus.committed} vCPUs left, ${spec.vcpus} needed`);
  }
  if (diskBytes.free === 0) throw full(`only the reserved ${host.diskFloorBytes} bytes of disk are left`);
}

/** @throws EngineError `CAPACITY_EXHAUSTED` when that many bytes would leave too little of the disk */
export async function requireDisk(host: Host, bytes: number): Promise<void> {
  const disk = await statfs(host.directory);
  const free = Math.max(0, disk.bavail * disk.bsize - host.diskFloorBytes);
  if (free < bytes || free === 0) throw full(`${free} bytes of disk left, ${bytes} needed`);
}

/** Bytes that disks occupy, not their sizes: they are sparse. */
async function heldBytes(host: Host): Promise<number> {
  const folders = ['instances', 'volumes', 'layers', 'snapshots'].map((name) => join(host.directory, name));
  const sizes = folders.map(async (folder) => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const files = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => null)));
    return files.reduce((sum, file) => sum + (file ? file.blocks * 512 : 0), 0);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const full = (why: string) => new EngineError('CAPACITY_EXHAUSTED', `This host is full: ${why}.`);

async function hostMemory(): Promise<{ totalMb: number; availableMb: number }> {
  const text = await readFile('/proc/meminfo', 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return { totalMb: megabytes('MemTotal'), availableMb: megabytes('MemAvailable') };
}
