import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '@/lib/settings';

const folderOf = (cell: string) => join(settings().dataDir, 'functions', 'outcomes', cell);

/** A larger file is cut when its outcomes are in the database. */
const KEPT_BYTES = 16 * 1024 ** 2;

type Page = { path: string; descriptor: number; bytes: number };

/**
 * Outcomes that callers have been told and that the database may not have yet. The files keep them when the process is killed: the next
 * pool of the cell reads them. There are two, because outcomes come while those of the other one are written to the database. They are
 * written again from their beginning, which is cheaper than new files; what is left behind new lines is in the database already, where
 * writing it once more changes nothing.
 */
export class Journal {
  private pages: readonly [Page, Page] | undefined;
  private current: 0 | 1 = 0;

  constructor(
    private readonly cell: string,
    private readonly poolId: string,
  ) {}

  /** @throws when the disk takes no more */
  add(line: string): void {
    this.pages ??= this.open();
    const page = this.pages[this.current];
    const bytes = Buffer.from(`${line}\n`);
    for (let written = 0; written < bytes.length; )
      written += writeSync(page.descriptor, bytes, written, bytes.length - written, page.bytes + written);
    // Where a line was not written whole, the next one takes its place.
    page.bytes += bytes.length;
  }

  /** Takes the other page, whose outcomes are in the database. */
  turn(): void {
    if (!this.pages) return;
    this.current = this.current === 0 ? 1 : 0;
    const page = this.pages[this.current];
    if (page.bytes > KEPT_BYTES) ftruncateSync(page.descriptor);
    page.bytes = 0;
  }

  /** When the database has everything. */
  remove(): void {
    for (const { path, descriptor } of this.pages ?? []) {
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
    this.pages = undefined;
  }

  private open(): readonly [Page, Page] {
    const folder = folderOf(this.cell);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const page = (name: string): Page => {
      const path = join(folder, `${this.poolId}.${name}`);
      return { path, descriptor: openSync(path, 'w', 0o600), bytes: 0 };
    };
    return [page('a'), page('b')];
  }
}

/** Reads the journals that other pools of the cell have left. */
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

/** The lines that are whole: of one that a killed process was writing, or that newer ones cover in part, nobody needs the rest. */
const wholeLines = (text: string) =>
  text.split('\n').filter((line) => {
    try {
      return JSON.parse(line) instanceof Object;
    } catch {
      return false;
    }
  });
