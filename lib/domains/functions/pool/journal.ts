import { appendFileSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '@/lib/settings';

const folderOf = (cell: string) => join(settings().dataDir, 'functions', 'outcomes', cell);

/**
 * Outcomes that callers have been told and that the database does not have yet. A file keeps them when the process is killed: the next
 * pool of the cell reads it. One file for each write to the database, which removes it.
 */
export class Journal {
  private file: { path: string; descriptor: number } | undefined;
  private number = 0;

  constructor(
    private readonly cell: string,
    private readonly poolId: string,
  ) {}

  /** @throws when the disk takes no more */
  add(line: string): void {
    this.file ??= this.open();
    appendFileSync(this.file.descriptor, `${line}\n`);
  }

  /** Begins another file. @returns what removes the one until now */
  turn(): () => void {
    const { file } = this;
    this.file = undefined;
    if (!file) return () => {};
    closeSync(file.descriptor);
    return () => rmSync(file.path, { force: true });
  }

  private open() {
    this.number += 1;
    const folder = folderOf(this.cell);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${this.poolId}.${this.number}`);
    return { path, descriptor: openSync(path, 'ax', 0o600) };
  }
}

/** Reads the journals that other pools of the cell have left, oldest first. */
export async function* leftJournals(cell: string, ownPool: string) {
  const folder = folderOf(cell);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.toSorted()) {
    const [poolId = ''] = name.split('.');
    if (poolId === ownPool) continue;
    const path = join(folder, name);
    yield { poolId, lines: wholeLines(await readFile(path, 'utf8')), remove: () => rm(path, { force: true }) };
  }
}

/** A process that was killed while it wrote has left half a line, of which nobody was told. */
const wholeLines = (text: string) =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
