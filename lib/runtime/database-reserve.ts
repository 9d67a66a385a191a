import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fullMarker } from '@/lib/core/db/room';

const MIB = 1024 ** 2;

/** Reserved space on the disk of the embedded database. */
export type Reserve = {
  dataDir: string;
  /** The size of the reserve file. */
  bytes: number;
  /** With less free space than this, the disk counts as full. */
  lowBytes: number;
};

/** The minimum that PostgreSQL may write between two checks. */
export const LOW_BYTES = 64 * MIB;
const LOOK_MS = 2000;

const reservePath = (dataDir: string) => join(dataDir, 'database-reserve');

/**
 * Checks the disk once. If it is full, removes the reserve file, so that deletes and PostgreSQL's recovery have room,
 * and creates the marker that refuses creates. Reverts both when there is more than enough room for the file.
 * @returns whether the disk is full
 */
export async function tendReserve({ dataDir, bytes, lowBytes }: Reserve): Promise<boolean> {
  const path = reservePath(dataDir);
  const marker = fullMarker(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free < lowBytes) {
    rmSync(path, { force: true });
    writeFileSync(marker, '');
    return true;
  }
  const present = existsSync(path) && statSync(path).size === bytes;
  if (!present && free >= bytes + 2 * lowBytes) allocate(path, bytes);
  else if (!present && existsSync(marker)) return true;
  rmSync(marker, { force: true });
  return false;
}

/** Removes the reserve of a data folder whose database now runs elsewhere. */
export function dropReserve(dataDir: string): void {
  for (const path of [reservePath(dataDir), fullMarker(dataDir)]) rmSync(path, { force: true });
}

/** Allocates the file's blocks: a sparse file would reserve nothing. */
function allocate(path: string, bytes: number): void {
  rmSync(path, { force: true });
  if (spawnSync('fallocate', ['-l', String(bytes), path]).status === 0) return;
  const file = openSync(path, 'w', 0o600);
  try {
    const block = Buffer.alloc(MIB);
    for (let written = 0; written < bytes; ) written += writeSync(file, block, 0, Math.min(MIB, bytes - written));
  } finally {
    closeSync(file);
  }
}

/** Checks the reserve periodically until stopped. Reports when the disk becomes full and when it has room again. */
export async function keepReserve(
  reserve: Reserve,
  report: (message: string) => void,
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  let full = false;
  const look = async () => {
    try {
      const before = full;
      full = await tendReserve(reserve);
      if (full && !before) report(`The disk of ${reserve.dataDir} is full: only reads and deletes are served.`);
      if (!full && before) report(`The disk of ${reserve.dataDir} has space again.`);
    } catch (error) {
      report(
        `The disk reserve of the database could not be created: ${error instanceof Error ? error.message : error}`,
      );
    }
  };
  await look();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await delay(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await look();
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
