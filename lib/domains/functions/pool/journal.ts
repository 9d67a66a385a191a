import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { settings } from '@/lib/settings';

const folderOf = (cell: string) => join(settings().dataDir, 'functions', 'journal', cell);

/** A larger file is cut when its lines are in the database. */
const KEPT_BYTES = 16 * 1024 ** 2;

type Page = { path: string; descriptor: number; bytes: number };

/**
 * Starts and outcomes that the database may not have yet. The files keep them when the process is killed: the next pool of the cell
 * reads them. There are two, because lines come while those of the other one are written to the database. They are written again from
 * their beginning, which is cheaper than new files. Old lines that remain behind new ones are skipped: the database notes the number of the
 * last line that it has.
 */
export class Journal {
  private pages: readonly [Page, Page] | undefined;
  private current: 0 | 1 = 0;
  private gathered: string[] = [];
  private keeping: Promise<void> | undefined;

  constructor(
    private readonly cell: string,
    private readonly poolId: string,
  ) {}

  /** Lines of the same moment are written together. @throws when the disk takes no more */
  add(line: string): Promise<void> {
    this.gathered.push(line);
    this.keeping ??= Promise.resolve().then(() => this.keep());
    return this.keeping;
  }

  private keep(): void {
    this.keeping = undefined;
    const bytes = Buffer.from(`${this.gathered.splice(0).join('\n')}\n`);
    this.pages ??= this.open();
    const page = this.pages[this.current];
    for (let written = 0; written < bytes.length; )
      written += writeSync(page.descriptor, bytes, written, bytes.length - written, page.bytes + written);
    // Where lines were not written whole, the next ones take their place.
    page.bytes += bytes.length;
  }

  /** Takes the other page, whose lines are in the database. */
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

/** The fields of a line that this file needs. */
const recordSchema = z.looseObject({ id: z.string(), line: z.int(), status: z.string() });
type Left = z.output<typeof recordSchema>;

/** Reads the journals that other pools of the cell have left: the newest line of each invocation. */
export async function* leftJournals(cell: string, ownPool: string) {
  const folder = folderOf(cell);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const poolIds = new Set(names.map((name) => name.split('.', 1)[0] ?? ''));
  poolIds.delete(ownPool);
  for (const poolId of poolIds) {
    const paths = names.filter((name) => name.startsWith(poolId)).map((name) => join(folder, name));
    const records = new Map<string, Left>();
    for (const path of paths) {
      for (const record of wholeLines(await readFile(path, 'utf8')))
        if (record.line > (records.get(record.id)?.line ?? 0)) records.set(record.id, record);
    }
    const remove = async () => {
      for (const path of paths) await rm(path, { force: true });
    };
    yield { poolId, records, remove };
  }
}

/** The lines that are whole: of one that a killed process was writing, or that newer ones cover in part, nobody needs the rest. */
const wholeLines = (text: string): Left[] =>
  text.split('\n').flatMap((line) => {
    try {
      return recordSchema.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
