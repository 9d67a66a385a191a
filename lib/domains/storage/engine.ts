import type { Readable } from 'node:stream';
import type { Settlement } from '@/lib/hosts/services/engine';

/** What a volume's first bytes are. */
type VolumeSource = { kind: 'empty' } | { kind: 'image'; imageId: string } | { kind: 'snapshot'; snapshotId: string };

export type VolumeSpec = { id: string; sizeGb: number; source: VolumeSource };

export type ObservedVolume = {
  id: string;
  sizeGb: number;
  /** The running instance that holds it. */
  attachedTo: string | null;
  /** What it takes of the host's disk now. */
  allocatedBytes: number;
};

export type ObservedSnapshot = { id: string; volumeId: string; sizeGb: number };

/**
 * Block volumes and their snapshots. Every change is idempotent and answers soon, and the work continues; the next call, also
 * after a crash of the caller, returns its progress or its result.
 */
export interface StorageEngine {
  /**
   * Creates the volume, or grows it to the size given; a running guest sees the new size at once. The source counts only at creation.
   * @throws EngineError `INVALID` for a size below its source's or its own, `CAPACITY_EXHAUSTED`, `NOT_FOUND`
   */
  ensureVolume(spec: VolumeSpec): Promise<Settlement>;
  /** Puts the volume into a running guest, where it appears as a SCSI disk whose serial is the volume's id. */
  attachVolume(volumeId: string, instanceId: string): Promise<Settlement>;
  /** Takes the volume out of the guest; a guest that is off needs no call. */
  detachVolume(volumeId: string, instanceId: string): Promise<Settlement>;
  /** @throws EngineError `IN_USE` while a running guest holds it */
  removeVolume(id: string): Promise<Settlement>;
  /** Freezes the volume as it is now, attached or not; takes no time and no room until the volume changes. */
  ensureSnapshot(snapshot: { id: string; volumeId: string }): Promise<Settlement>;
  /** Volumes made from it stay whole. */
  removeSnapshot(id: string): Promise<Settlement>;
  /**
   * Opens the snapshot's content as a QCOW2 image, once it is prepared; `receiveImage` of an image engine accepts these bytes.
   * A caller that does not read to the end destroys the stream.
   * @throws EngineError `NOT_FOUND`, `CAPACITY_EXHAUSTED`
   */
  readSnapshot(id: string): Promise<Settlement<{ bytes: Readable }>>;
  observeStorage(): Promise<{ volumes: ObservedVolume[]; snapshots: ObservedSnapshot[] }>;
}
