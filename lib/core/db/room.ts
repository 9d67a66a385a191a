import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { now } from '@/lib/clock';
import { settings } from '@/lib/settings';

/** Present while the disk of the embedded database is full: the supervisor writes and removes it. */
export const fullMarker = (dataDir: string) => join(dataDir, 'database-full');

/** How long one refused statement speaks for the disk of a database that nobody on this host watches. */
const REMEMBERED_MS = 30_000;

const WORDS = /No space left on device|Disk quota exceeded|could not extend file/;

/** Whether a statement failed because its server has no disk left: SQLSTATE 53100, and other codes with the same reason. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) {
    return error.code === '53100' || (/^(58030|53000|XX000)$/.test(error.code ?? '') && WORDS.test(error.message));
  }
  // Prisma hands on in words what the server said.
  if (error.name.startsWith('PrismaClient')) return /\b53100\b/.test(error.message) || WORDS.test(error.message);
  return isDiskFull(error.cause);
}

let refusedAt: number | undefined;

/** Remembers that a statement met a full disk. */
export function noteDiskFull(): void {
  refusedAt = now().getTime();
}

/** Whether the database has no room for anything new, as far as this process knows. */
export function isDatabaseFull(): boolean {
  if (refusedAt !== undefined && now().getTime() - refusedAt < REMEMBERED_MS) return true;
  return existsSync(fullMarker(settings().dataDir));
}
