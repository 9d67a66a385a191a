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

/** A public image somewhere else. */
export type ImageSource = {
  url: string;
  format: ImageFormat;
  checksum: { algorithm: 'sha256' | 'sha512'; hex: string };
};

export type FetchProgress = (receivedBytes: number, totalBytes: number | null) => void;

/** Operating system images. Every call is idempotent: an image that is there already is returned as it is. */
export interface ImageEngine {
  /**
   * Takes over a complete file (it is moved, not copied), after it has proved to be what its format says.
   * @throws EngineError `INVALID` for what is not, or what refers to anything outside itself; the file is deleted then
   */
  importImage(id: string, file: string, format: ImageFormat): Promise<EngineImage>;
  /** Downloads, resumes where an earlier try stopped, verifies the checksum and imports. */
  fetchImage(id: string, source: ImageSource, onProgress?: FetchProgress): Promise<EngineImage>;
  /** Builds the platform's own tiny Linux from this distribution's packages. */
  buildTinyImage(id: string): Promise<EngineImage>;
  /** @throws EngineError `IN_USE` while a disk or a volume stands on it */
  removeImage(id: string): Promise<void>;
  observeImages(): Promise<EngineImage[]>;
  /** Where an upload should be written, so that importing it is a rename. */
  uploadDirectory(): Promise<string>;
}
