import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { writeStream } from '@/lib/files';
import { settings } from '@/lib/settings';

/** Where backups are kept: a platform bucket, or a folder beside the data. Keys are paths such as `wal/0001`. */
export interface BackupStore {
  /** Puts an object in as a whole or not at all, and replaces one that is there. Bytes that were written. */
  write(key: string, content: Readable): Promise<number>;
  /** @throws Error when there is none */
  read(key: string): Promise<Readable>;
  has(key: string): Promise<boolean>;
  /** Keys that begin with a prefix that ends in `/`, in order, with their bytes. */
  list(prefix: string): Promise<{ key: string; bytes: number }[]>;
  /** No error when there is none. */
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

/** Where the backups of a cluster are: beside the data of its host. */
export const storeOf = (clusterId: string): BackupStore =>
  new FolderStore(join(settings().dataDir, 'backups', 'databases', clusterId));

/** The data of a backup, packed. */
export const baseKey = (backupId: string) => `base/${backupId}.tar.gz`;

/** An object as it was before it was packed. @throws Error when there is none */
export async function unpacked(store: BackupStore, key: string): Promise<Readable> {
  const packed = await store.read(key);
  const plain = createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  return packed.pipe(plain);
}
