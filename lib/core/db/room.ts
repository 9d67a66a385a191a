import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { now } from '@/lib/clock';
import { settings } from '@/lib/settings';

/** This file exists while the disk of the embedded database is full; the supervisor creates and removes it. */
export const fullMarker = (dataDir: string) => join(dataDir, 'database-full');

/** Time for which a refused statement marks the disk as full, for a database that this host does not supervise. */
const REMEMBERED_MS = 30_000;

const WORDS = /No space left on device|Disk quota exceeded|could not extend file/;

/** Whether a statement failed because the server's disk is full: SQLSTATE 53100, or another code with that reason. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) {
    return error.code === '53100' || (/^(58030|53000|XX000)$/.test(error.code ?? '') && WORDS.test(error.message));
  }
  // Prisma passes on only the text of the server's error.
  if (error.name.startsWith('PrismaClient')) return /\b53100\b/.test(error.message) || WORDS.test(error.message);
  return isDiskFull(error.cause);
}

let refusedAt: number | undefined;

/** Records that a statement failed on a full disk. */
export function noteDiskFull(): void {
  refusedAt = now().getTime();
}

/** Whether the database has no room for new data, as far as this process knows. */
export function isDatabaseFull(): boolean {
  if (refusedAt !== undefined && now().getTime() - refusedAt < REMEMBERED_MS) return true;
  return existsSync(fullMarker(settings().dataDir));
}
