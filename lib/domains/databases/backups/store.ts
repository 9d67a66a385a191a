import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type PlatformBucket, platformBucket } from '@/lib/domains/objects/external/platform-bucket';
import { writeStream } from '@/lib/files';
import { settings } from '@/lib/settings';
import type { BackupLocation } from '../schema';

const BUCKET = 'nephele-database-backups';

/** Where backups are kept. Keys are paths such as `wal/0001`. */
export interface BackupStore {
  /** Puts an object in as a whole or not at all, and replaces one that is there. Bytes that were written. */
  write(key: string, content: Readable): Promise<number>;
  /** @throws Error when there is none */
  read(key: string): Promise<Readable>;
  has(key: string): Promise<boolean>;
  /** Keys that begin with a prefix that ends in `/`, in order, with their bytes. */
  list(prefix: string): Promise<{ key: string; bytes: number }[]>;
  /** One object, or all whose keys begin with a prefix that ends in `/`. No error when there is none. */
  remove(key: string): Promise<void>;
}

/** Backups in a folder of this host, which only this user can read. */
export class FolderStore implements BackupStore {
  constructor(private readonly folder: string) {}

  private path(key: string): string {
    const path = normalize(join(this.folder, key));
    if (!path.startsWith(`${normalize(this.folder)}/`)) throw new Error(`${key} is no key of a backup.`);
    return path;
  }

  async write(key: string, content: Readable): Promise<number> {
    const path = this.path(key);
    // Of its own: two processes may write the same segment of a log at once.
    const draft = `${path}.${randomUUID()}.new`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await pipeline(content, await writeStream(draft));
      await flush(draft);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await flush(dirname(path));
    return (await stat(path)).size;
  }

  async read(key: string): Promise<Readable> {
    const path = this.path(key);
    await stat(path);
    return createReadStream(path);
  }

  async has(key: string): Promise<boolean> {
    return stat(this.path(key)).then(
      () => true,
      () => false,
    );
  }

  async list(prefix: string): Promise<{ key: string; bytes: number }[]> {
    const names = await readdir(this.path(prefix)).catch(() => []);
    const keys = names.filter((name) => !name.endsWith('.new')).sort();
    return Promise.all(
      keys.map(async (name) => ({ key: `${prefix}${name}`, bytes: (await stat(this.path(`${prefix}${name}`))).size })),
    );
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { recursive: true, force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path);
  await file.sync().finally(() => file.close());
}

/** Backups in a bucket of the platform in the outside object storage, under a prefix that ends in `/`. */
export class BucketStore implements BackupStore {
  constructor(
    private readonly bucket: () => Promise<PlatformBucket>,
    private readonly prefix: string,
  ) {}

  async write(key: string, content: Readable): Promise<number> {
    return (await this.bucket()).put(`${this.prefix}${key}`, content);
  }

  async read(key: string): Promise<Readable> {
    return (await this.bucket()).get(`${this.prefix}${key}`);
  }

  async has(key: string): Promise<boolean> {
    return (await this.bucket()).has(`${this.prefix}${key}`);
  }

  async list(prefix: string): Promise<{ key: string; bytes: number }[]> {
    const found = await (await this.bucket()).list(`${this.prefix}${prefix}`);
    return found.map(({ key, bytes }) => ({ key: key.slice(this.prefix.length), bytes }));
  }

  async remove(key: string): Promise<void> {
    const bucket = await this.bucket();
    const keys = key.endsWith('/') ? (await this.list(key)).map((one) => one.key) : [key];
    for (const one of keys) await bucket.remove(`${this.prefix}${one}`);
  }
}

/** Writes to one store, and still reads, lists and removes what is in the former one. */
export class MovedStore implements BackupStore {
  constructor(
    private readonly present: BackupStore,
    private readonly former: BackupStore,
  ) {}

  write(key: string, content: Readable): Promise<number> {
    return this.present.write(key, content);
  }

  async read(key: string): Promise<Readable> {
    return ((await this.present.has(key)) ? this.present : this.former).read(key);
  }

  async has(key: string): Promise<boolean> {
    return (await this.present.has(key)) || this.former.has(key);
  }

  async list(prefix: string): Promise<{ key: string; bytes: number }[]> {
    const [present, former] = await Promise.all([this.present.list(prefix), this.former.list(prefix)]);
    const all = new Map([...former, ...present].map((one) => [one.key, one]));
    return [...all.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  async remove(key: string): Promise<void> {
    await this.former.remove(key);
    await this.present.remove(key);
  }
}

/** Where backups are made now: in the outside object storage of `S3_ENGINE=external`, otherwise beside the data of their host. */
export const presentLocation = (): BackupLocation => (settings().s3.external ? 'object_storage' : 'host');

/** Locations that the settings reach. */
export const reachedLocations = (): BackupLocation[] => [...new Set(['host' as const, presentLocation()])];

/** Where the backups of a cluster are, those of the time before `S3_ENGINE=external` too. */
export function storeOf(clusterId: string): BackupStore {
  const folder = new FolderStore(join(settings().dataDir, 'backups', 'databases', clusterId));
  if (presentLocation() === 'host') return folder;
  return new MovedStore(new BucketStore(() => platformBucket(BUCKET), `${clusterId}/`), folder);
}

/** The data of a backup, packed. */
export const baseKey = (backupId: string) => `base/${backupId}.tar.gz`;

/** An object as it was before it was packed. @throws Error when there is none */
export async function unpacked(store: BackupStore, key: string): Promise<Readable> {
  const packed = await store.read(key);
  const plain = createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  return packed.pipe(plain);
}
