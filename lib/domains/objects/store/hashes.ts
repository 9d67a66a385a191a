import { createHash, type Hash, hash } from 'node:crypto';
import { type ChecksumAlgorithm, type Summing, summing } from './checksums';

export type WantedHashes = {
  /** Also the SHA-256, which a client may have signed. */
  sha256?: boolean;
  checksum?: ChecksumAlgorithm | undefined;
};

export type Digests = {
  /** Hex. */
  md5: string;
  /** Hex, if asked for. */
  sha256: string | undefined;
  /** Base64, if asked for. */
  checksum: string | undefined;
};

/** What object storage computes over a body, piece by piece. */
export class Hashes {
  readonly #md5 = createHash('md5');
  readonly #sha256: Hash | undefined;

  private constructor(
    sha256: boolean,
    private readonly sum: Summing | undefined,
  ) {
    this.#sha256 = sha256 ? createHash('sha256') : undefined;
  }

  static async begin({ sha256 = false, checksum }: WantedHashes): Promise<Hashes> {
    return new Hashes(sha256, checksum && (await summing(checksum)));
  }

  update(piece: Uint8Array): void {
    this.#md5.update(piece);
    this.#sha256?.update(piece);
    this.sum?.update(piece);
  }

  digest(): Digests {
    return { md5: this.#md5.digest('hex'), sha256: this.#sha256?.digest('hex'), checksum: this.sum?.digest() };
  }
}

/** The same of a small body, at once. */
export async function digestsOf(content: Uint8Array, { sha256 = false, checksum }: WantedHashes): Promise<Digests> {
  const sum = checksum && (await summing(checksum));
  sum?.update(content);
  return {
    md5: hash('md5', content, 'hex'),
    sha256: sha256 ? hash('sha256', content, 'hex') : undefined,
    checksum: sum?.digest(),
  };
}
