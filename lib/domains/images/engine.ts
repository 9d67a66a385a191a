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

/** A public image on another server. Its checksum is known, or published in a list such as SHA256SUMS at `url`. */
export type ImageSource = {
  url: string;
  format: ImageFormat;
  checksum: { algorithm: ChecksumAlgorithm; hex: string } | { algorithm: ChecksumAlgorithm; url: string };
};

/**
 * Operating system images. Every change is idempotent: an image that exists is returned as it is. It answers soon and goes
 * on while it waits; asking again, also after a crash of the caller, tells how it went.
 */
export interface ImageEngine {
  /**
   * Takes over a complete file (it is moved, not copied), after it has proved to be what its format says.
   * @throws EngineError `INVALID` for what is not, or what refers to anything outside itself; the file is deleted then
   */
  importImage(id: string, file: string, format: ImageFormat): Promise<Settlement<{ image: EngineImage }>>;
  /** Downloads, resumes where an earlier try stopped, verifies the checksum and imports. */
  fetchImage(id: string, source: ImageSource): Promise<Settlement<{ image: EngineImage }>>;
  /** Builds the platform's own tiny Linux from this distribution's packages. */
  buildTinyImage(id: string): Promise<Settlement<{ image: EngineImage }>>;
  /** @throws EngineError `IN_USE` while a disk or a volume stands on it */
  removeImage(id: string): Promise<Settlement>;
  observeImages(): Promise<EngineImage[]>;
  /** Where an upload should be written, so that importing it is a rename. */
  uploadDirectory(): Promise<string>;
}
