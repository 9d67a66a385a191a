import type { Readable } from 'node:stream';
import type { Settlement } from '@/lib/hosts/services/engine';

export type ImageFormat = 'QCOW2' | 'RAW' | 'ISO';

/** An image that the engine holds and has verified. */
export type EngineImage = {
  id: string;
  format: ImageFormat;
  sizeBytes: number;
  /** The smallest disk that holds it. */
  virtualSizeBytes: number;
  /** Hex, of the bytes as they were handed in. */
  sha256: string;
};

export type ChecksumAlgorithm = 'sha256' | 'sha512';

/** Size and SHA-256 (hex) of a completed transfer. */
export type ReceivedImage = { sizeBytes: number; sha256: string };

/** A public image on another server. Its checksum is known, or published in a list such as SHA256SUMS at `url`. */
export type ImageSource = {
  url: string;
  format: ImageFormat;
  checksum: { algorithm: ChecksumAlgorithm; hex: string } | { algorithm: ChecksumAlgorithm; url: string };
};

/**
 * Operating system images. Every change is idempotent: an image that exists is returned as it is. It answers soon, and the
 * work continues; the next call, also after a crash of the caller, returns its progress or its result.
 */
export interface ImageEngine {
  /**
   * Stores bytes for `importImage`, with backpressure. An interrupted stream leaves nothing, and its error is thrown.
   * @throws EngineError `CAPACITY_EXHAUSTED` when the disk is full
   */
  receiveImage(id: string, bytes: Readable): Promise<ReceivedImage>;
  /** Deletes received bytes that will not be imported; no error when there are none. */
  discardReceived(id: string): Promise<void>;
  /** Received bytes that were not imported, and partial downloads. */
  observeReceived(): Promise<{ id: string; writtenAt: Date }[]>;
  /**
   * Verifies the format of the received bytes and makes an image of them.
   * @throws EngineError `INVALID` for another format or a reference to another file; the bytes are then deleted
   */
  importImage(id: string, format: ImageFormat): Promise<Settlement<{ image: EngineImage }>>;
  /**
   * Opens the bytes as they were received. A caller that does not read to the end destroys the stream.
   * @throws EngineError `NOT_FOUND`
   */
  readImage(id: string): Promise<Readable>;
  /** Downloads, resumes where an earlier try stopped, verifies the checksum and imports. */
  fetchImage(id: string, source: ImageSource): Promise<Settlement<{ image: EngineImage }>>;
  /** Builds the platform's own tiny Linux from this distribution's packages. */
  buildTinyImage(id: string): Promise<Settlement<{ image: EngineImage }>>;
  /** @throws EngineError `IN_USE` while a disk or a volume stands on it */
  removeImage(id: string): Promise<Settlement>;
  observeImages(): Promise<EngineImage[]>;
}
