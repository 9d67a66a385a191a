import { join } from 'node:path';
import { z } from 'zod';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { type Host, shortHash } from '../host';
import { changeRecord, readRecord, readRecords, recordFile } from '../record';

const port = z.object({
  id: z.string(),
  networkId: z.string(),
  mac: z.mac(),
  ip: z.ipv4(),
  prefixLength: z.int().min(1).max(32),
  gatewayIp: z.ipv4(),
  dnsServers: z.array(z.ipv4()),
  dhcp: z.boolean(),
});

/**
 * The last spec that the engine was given, kept beside the machine so that a new worker knows it. Its values become
 * QEMU's arguments, so what is given is checked as strictly as what is read.
 */
export const instanceSpec: z.ZodType<InstanceSpec> = z.object({
  id: z.uuid(),
  vcpus: z.int().min(1),
  ramMb: z.int().min(32),
  disk: z.object({ imageId: z.string(), sizeGb: z.number().positive(), generation: z.int().min(0) }),
  ports: z.array(port),
  volumeIds: z.array(z.string()),
  seed: z.object({ hostname: z.string(), sshPublicKeys: z.array(z.string()), userData: z.string().nullable() }),
  power: z.enum(['running', 'paused', 'stopped']),
  diskLimits: z.object({ iops: z.number(), bytesPerSecond: z.number() }).optional(),
  shutdownSeconds: z.number().optional(),
});

const instancesDirectory = (host: Host) => join(host.directory, 'instances');

/** Beside the instance's folder and not in it: what a guest's process can write, nothing else believes. */
export const instanceFile = (host: Host, id: string) => recordFile(instancesDirectory(host), id);
export const instanceDirectory = (host: Host, id: string) => join(instancesDirectory(host), id);
export const findInstance = (host: Host, id: string) => readRecord(instanceFile(host, id), instanceSpec);
export const allInstances = (host: Host) => readRecords(instancesDirectory(host), instanceSpec);

/** Notes which volumes a machine has, beside whatever else is being changed of it; nothing where it is gone. */
export function changeVolumes(host: Host, id: string, change: (volumeIds: string[]) => string[]) {
  return changeRecord(instanceFile(host, id), instanceSpec, (spec) => ({
    ...spec,
    volumeIds: change(spec.volumeIds),
  }));
}

export const consoleLogFile = (host: Host, id: string) => join(instanceDirectory(host, id), 'console.log');
export const qemuLogFile = (host: Host, id: string) => join(instanceDirectory(host, id), 'qemu.log');
export const seedFile = (host: Host, id: string) => join(instanceDirectory(host, id), 'seed.img');
export const bootDiskFile = (host: Host, id: string, generation: number) =>
  join(instanceDirectory(host, id), `boot-${generation}.qcow2`);

/** The folder of an instance's sockets, under a short name. */
export const socketDirectory = (host: Host, id: string) => join(host.sockets, shortHash(id, 16));
export const monitorSocket = (host: Host, id: string) => join(socketDirectory(host, id), 'qmp.sock');
export const vncSocket = (host: Host, id: string) => join(socketDirectory(host, id), 'vnc.sock');
export const serialSocket = (host: Host, id: string) => join(socketDirectory(host, id), 'serial.sock');
