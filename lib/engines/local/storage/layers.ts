import { join } from 'node:path';
import { z } from 'zod';
import { EngineError } from '../../error';
import { type Host, shortHash } from '../host';
import { readRecord, readRecords, recordFile } from '../record';
import { Turns } from '../turns';

/**
 * A volume is a chain of QCOW2 layers. Its head is written to; a snapshot is a layer that nobody writes to any more,
 * because the volume continued in a new head on top of it. Volumes made from a snapshot stand on the same layer.
 */
const volumeRecord = z.object({ id: z.string(), sizeGb: z.number(), head: z.string() });
const snapshotRecord = z.object({ id: z.string(), volumeId: z.string(), sizeGb: z.number(), layer: z.string() });

export type VolumeRecord = z.infer<typeof volumeRecord>;

export const volumeFile = (host: Host, id: string) => recordFile(join(host.directory, 'volumes'), id);
export const snapshotFile = (host: Host, id: string) => recordFile(join(host.directory, 'snapshots'), id);
export const layersDirectory = (host: Host) => join(host.directory, 'layers');
export const layerFile = (host: Host, layer: string) => join(layersDirectory(host), `${layer}.qcow2`);

export const findVolume = (host: Host, id: string) => readRecord(volumeFile(host, id), volumeRecord);
export const allVolumes = (host: Host) => readRecords(join(host.directory, 'volumes'), volumeRecord);
export const findSnapshot = (host: Host, id: string) => readRecord(snapshotFile(host, id), snapshotRecord);
export const allSnapshots = (host: Host) => readRecords(join(host.directory, 'snapshots'), snapshotRecord);

/** @throws EngineError `NOT_FOUND` */
export async function requireVolume(host: Host, id: string): Promise<VolumeRecord> {
  const volume = await findVolume(host, id);
  if (volume) return volume;
  throw new EngineError('NOT_FOUND', `This host has no volume ${id}.`);
}

const turns = new Turns();

/**
 * One thing at a time with the chains of a host, whoever does it: a guest that is given a volume while a snapshot moves
 * that volume's head would go on writing to what is frozen. Never asked for by whoever talks to a guest's monitor.
 */
export function chainsInTurn<T>(host: Pick<Host, 'directory'>, work: () => Promise<T>): Promise<T> {
  return turns.take(host.directory, work);
}

/** Names inside QEMU, which allows 31 characters: the layer itself, and the throttle above it that the guest's disk uses. */
export const layerNode = (layer: string) => `layer-${shortHash(layer, 16)}`;
export const volumeNode = (volumeId: string) => `volume-${shortHash(volumeId, 16)}`;
export const volumeDevice = (volumeId: string) => `volume-${volumeId}`;
