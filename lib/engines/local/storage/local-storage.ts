import { open, rename, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ObservedSnapshot, ObservedVolume, StorageEngine, VolumeSpec } from '@/lib/domains/storage/engine';
import type { Settlement } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { Changes } from '../changes';
import { requireDisk } from '../compute/capacity';
import { allInstances, changeVolumes, findInstance, monitorSocket } from '../compute/instance-record';
import { run } from '../exec';
import { type Host, openToGuests, prepareHost } from '../host';
import { blockDriver, imageFile, requireImage } from '../images/store';
import { findProcess, findProcesses } from '../processes';
import { withMonitor } from '../qmp';
import { removePath, removeRecord, writeRecord } from '../record';
import { chainOf, surplusBelow, sweepLayers } from './chain';
import {
  COPY_MS,
  forgetUnplugged,
  growPlugged,
  mergeBelow,
  moveToHead,
  pluggedVolumes,
  plugVolume,
  unplugVolume,
} from './devices';
import { exportFile, exportSnapshot } from './export';
import {
  allSnapshots,
  allVolumes,
  chainsInTurn,
  findSnapshot,
  findVolume,
  layerFile,
  requireVolume,
  snapshotFile,
  type VolumeRecord,
  volumeFile,
} from './layers';
import { endReach } from './reach';

const GIB = 1024 ** 3;
/** Room that a new volume's own tables take; its content is allocated as the guest writes. */
const VOLUME_TABLES_BYTES = 16 * 1024 ** 2;

/** The most that is copied to shorten a chain: some seconds' worth. */
const MOST_COPIED_BYTES = 4 * GIB;

const SOON_MS = 200;

type Base = { file: string; driver: string; bytes: number };

/** Volumes as chains of QCOW2 files. One change at a time, because chains share layers. */
export class LocalStorage implements StorageEngine {
  private readonly changes = new Changes();
  private readonly exports = new Changes<{ file: string }>();

  constructor(private readonly host: Host) {}

  ensureVolume(spec: VolumeSpec): Promise<Settlement> {
    return this.change(spec.id, 'Preparing the volume', spec, async () => {
      const known = await findVolume(this.host, spec.id);
      if (!known) await this.create(spec);
      else if (spec.sizeGb > known.sizeGb) await this.grow(known, spec.sizeGb);
      else if (spec.sizeGb < known.sizeGb) {
        throw new EngineError('INVALID', `The volume has ${known.sizeGb} GB; a volume cannot be shrunk.`);
      }
    });
  }

  attachVolume(volumeId: string, instanceId: string): Promise<Settlement> {
    return this.change(volumeId, 'Attaching the volume', instanceId, async () => {
      const volume = await requireVolume(this.host, volumeId);
      const spec = await findInstance(this.host, instanceId);
      if (!spec) throw new EngineError('NOT_FOUND', `This host has no instance ${instanceId}.`);
      const holder = await this.holderOf(volumeId);
      if (holder !== null && holder !== instanceId) {
        throw new EngineError('IN_USE', `The volume is attached to instance ${holder}: detach it there first.`);
      }
      await changeVolumes(this.host, instanceId, (ids) => [...new Set([...ids, volumeId])]);
      if (holder === instanceId || !findProcess(this.host, 'qemu', instanceId)) return;
      await this.inMachine(instanceId, (monitor) =>
        plugVolume(this.host, monitor, volume, instanceId, spec.diskLimits),
      );
    });
  }

  detachVolume(volumeId: string, instanceId: string): Promise<Settlement> {
    return this.change(volumeId, 'Detaching the volume', instanceId, async () => {
      const volume = await findVolume(this.host, volumeId);
      if (!findProcess(this.host, 'qemu', instanceId)) await endReach(this.host, instanceId);
      else if (volume) {
        await this.inMachine(instanceId, async (monitor) => {
          await unplugVolume(monitor, volume);
          await forgetUnplugged(this.host, monitor, instanceId);
        });
      }
      // Last: of a machine that does not respond, the record says what it may still hold.
      await changeVolumes(this.host, instanceId, (ids) => ids.filter((id) => id !== volumeId));
    });
  }

  removeVolume(id: string): Promise<Settlement> {
    return this.change(id, 'Deleting the volume', null, async () => {
      const holder = await this.holderOf(id);
      if (holder !== null)
        throw new EngineError('IN_USE', `The volume is attached to instance ${holder}: detach it first.`);
      await removeRecord(volumeFile(this.host, id));
      await sweepLayers(this.host);
    });
  }

  ensureSnapshot({ id, volumeId }: { id: string; volumeId: string }): Promise<Settlement> {
    return this.change(id, 'Creating the snapshot', volumeId, async () => {
      if (await findSnapshot(this.host, id)) return;
      const before = await requireVolume(this.host, volumeId);
      // The new head is named after the snapshot, so that a second try goes on where the first one stopped, also when
      // another snapshot was taken in between.
      const isBegun = (await chainOf(this.host, before.head)).includes(id);
      const volume = isBegun ? before : await this.giveNewHead(before, id);
      const chain = await this.moveGuestOver(volume);
      const frozen = chain[chain.indexOf(id) + 1];
      if (frozen === undefined) throw new EngineError('ENGINE_ERROR', `Layer ${id} has no base.`);
      for (const layer of chain.slice(1)) await openToGuests(this.host, layerFile(this.host, layer), 0o440);
      await writeRecord(snapshotFile(this.host, id), { id, volumeId, sizeGb: volume.sizeGb, layer: frozen });
    });
  }

  removeSnapshot(id: string): Promise<Settlement> {
    return this.change(id, 'Merging the snapshot into its volume', null, async () => {
      const snapshot = await findSnapshot(this.host, id);
      await removeRecord(snapshotFile(this.host, id));
      await removePath(exportFile(this.host, id));
      const volume = snapshot && (await findVolume(this.host, snapshot.volumeId));
      if (volume) await this.shorten(volume);
      await sweepLayers(this.host);
    });
  }

  async readSnapshot(id: string): Promise<Settlement<{ bytes: Readable }>> {
    const answer = await this.exports.ask(id, 'exported', async (tell) => {
      tell({ waits_for: 'Copying the snapshot', again_ms: SOON_MS });
      return { file: await exportSnapshot(this.host, id) };
    });
    if (!answer.settled) return answer;
    const file = await open(answer.file);
    // The unlinked file lasts as long as the stream, even if the reader goes away or this process ends.
    await removePath(answer.file);
    return { settled: true, bytes: file.createReadStream() };
  }

  async observeStorage(): Promise<{ volumes: ObservedVolume[]; snapshots: ObservedSnapshot[] }> {
    const holders = await this.holders();
    const volumes = [...(await allVolumes(this.host)).values()].map(async ({ id, sizeGb, head }) => ({
      id,
      sizeGb,
      attachedTo: holders.get(id) ?? null,
      allocatedBytes: await stat(layerFile(this.host, head)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    }));
    const snapshots = [...(await allSnapshots(this.host)).values()].map(({ layer: _, ...snapshot }) => snapshot);
    return { volumes: await Promise.all(volumes), snapshots };
  }

  private async create(spec: VolumeSpec): Promise<void> {
    await requireDisk(this.host, VOLUME_TABLES_BYTES);
    const base = await this.sourceOf(spec);
    if (base && base.bytes > spec.sizeGb * GIB) {
      throw new EngineError('INVALID', `The source requires a volume of at least ${Math.ceil(base.bytes / GIB)} GB.`);
    }
    await this.createLayer(spec.id, base, spec.sizeGb);
    await writeRecord(volumeFile(this.host, spec.id), { id: spec.id, sizeGb: spec.sizeGb, head: spec.id });
  }

  private async sourceOf({ source }: VolumeSpec): Promise<Base | null> {
    if (source.kind === 'empty') return null;
    if (source.kind === 'image') {
      const image = await requireImage(this.host, source.imageId);
      return { file: imageFile(this.host, image), driver: blockDriver(image), bytes: image.virtualSizeBytes };
    }
    const snapshot = await findSnapshot(this.host, source.snapshotId);
    if (!snapshot) throw new EngineError('NOT_FOUND', `This host has no snapshot ${source.snapshotId}.`);
    return { file: layerFile(this.host, snapshot.layer), driver: 'qcow2', bytes: snapshot.sizeGb * GIB };
  }

  private async createLayer(layer: string, base: Pick<Base, 'file' | 'driver'> | null, sizeGb: number): Promise<void> {
    const file = layerFile(this.host, layer);
    const draft = `${file}.new`;
    // `-u`: the base is known to be there, and a running guest may hold it.
    const on = base ? ['-u', '-b', base.file, '-F', base.driver] : [];
    await run(['qemu-img', 'create', '-q', '-f', 'qcow2', ...on, draft, String(sizeGb * GIB)]);
    await openToGuests(this.host, draft, 0o600);
    await rename(draft, file);
  }

  private async grow(volume: VolumeRecord, sizeGb: number): Promise<void> {
    await requireDisk(this.host, VOLUME_TABLES_BYTES);
    await this.moveGuestOver(volume);
    const holder = await this.holderOf(volume.id);
    if (holder === null) {
      await run(['qemu-img', 'resize', '-q', '-f', 'qcow2', layerFile(this.host, volume.head), String(sizeGb * GIB)]);
    } else {
      await this.inMachine(holder, (monitor) => growPlugged(monitor, volume, sizeGb * GIB));
    }
    await writeRecord(volumeFile(this.host, volume.id), { ...volume, sizeGb });
  }

  /**
   * From now on the volume is an empty layer on top of what it was. A guest may still write to the layer below for a
   * moment, or for ever if we die here: through the empty layer the volume is the same.
   */
  private async giveNewHead(volume: VolumeRecord, head: string): Promise<VolumeRecord> {
    await this.createLayer(head, { file: layerFile(this.host, volume.head), driver: 'qcow2' }, volume.sizeGb);
    const changed = { ...volume, head };
    await writeRecord(volumeFile(this.host, volume.id), changed);
    return changed;
  }

  /** Lets the guest that has the volume write to its head. @returns the volume's layers from the head downwards */
  private async moveGuestOver(volume: VolumeRecord): Promise<string[]> {
    const chain = await chainOf(this.host, volume.head);
    const holder = await this.holderOf(volume.id);
    if (holder !== null) await this.inMachine(holder, (monitor) => moveToHead(this.host, monitor, chain, holder));
    return chain;
  }

  /**
   * Copies what a volume's head needs of layers that serve nobody else into the head, so that chains do not grow with
   * every snapshot that comes and goes. Much to copy is left where it is: everything else here waits meanwhile.
   */
  private async shorten(volume: VolumeRecord): Promise<void> {
    const surplus = await surplusBelow(this.host, volume.head);
    if (!surplus || surplus.bytes > MOST_COPIED_BYTES) return;
    await requireDisk(this.host, surplus.bytes);
    await this.moveGuestOver(volume);
    const holder = await this.holderOf(volume.id);
    if (holder !== null) {
      await this.inMachine(holder, async (monitor) => {
        await mergeBelow(monitor, volume, surplus.base?.file);
        await forgetUnplugged(this.host, monitor, holder);
      });
      return;
    }
    const base = surplus.base ? ['-b', surplus.base.file, '-F', surplus.base.driver] : ['-b', ''];
    await run(['qemu-img', 'rebase', '-q', '-f', 'qcow2', ...base, layerFile(this.host, volume.head)], {
      timeoutMs: COPY_MS,
    });
  }

  private async holderOf(volumeId: string): Promise<string | null> {
    return (await this.holders()).get(volumeId) ?? null;
  }

  /** Which running instance has which volume, by what the machines say. */
  private async holders(): Promise<Map<string, string>> {
    const known = await allInstances(this.host);
    const machines = findProcesses(this.host).filter(({ role, id }) => role === 'qemu' && known.has(id));
    const found = await Promise.all(
      machines.map(async ({ id }) => {
        const volumeIds = await this.inMachine(id, pluggedVolumes).catch(() => known.get(id)?.volumeIds ?? []);
        return volumeIds.map((volumeId) => [volumeId, id] as const);
      }),
    );
    return new Map(found.flat());
  }

  private inMachine<T>(instanceId: string, talk: Parameters<typeof withMonitor<T>>[1]): Promise<T> {
    return withMonitor(monitorSocket(this.host, instanceId), talk);
  }

  /** Runs a change of a volume or snapshot in its turn. @param wanted distinguishes changes of the same resource */
  private change(id: string, doing: string, wanted: unknown, work: () => Promise<void>): Promise<Settlement> {
    return this.changes.ask(id, JSON.stringify([doing, wanted]), async (tell) => {
      tell({ waits_for: 'Waiting for other volumes and snapshots', again_ms: SOON_MS });
      await chainsInTurn(this.host, async () => {
        tell({ waits_for: doing, again_ms: SOON_MS });
        await prepareHost(this.host);
        await work();
      });
      return {};
    });
  }
}
