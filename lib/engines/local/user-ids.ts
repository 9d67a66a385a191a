import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { EngineError } from '../error';
import { parseJson } from './record';

/** How many user ids a range has. */
const COUNT = 0x1000000;

const allotment = z.object({ next: z.int().min(0), users: z.record(z.string(), z.int()) });
type Allotment = z.infer<typeof allotment>;

/**
 * User ids of one range, each allotted to one holder until it is freed, and never to two. Who changes them is one process;
 * nothing else comes in between, because nothing here waits.
 */
export class UserIds {
  /**
   * @param first first id of the range
   * @param candidate which of the range to try first; otherwise ids go round in turn, so that a file which a former holder
   * left somewhere does not soon belong to another tenant's
   */
  constructor(
    private readonly file: string,
    private readonly first: number,
    private readonly candidate?: (holder: string) => number,
  ) {}

  allot(holder: string): number {
    const { next, users } = this.read();
    const present = users[holder];
    if (present !== undefined) return this.first + present;
    const chosen = this.firstFree(holder, { next, users });
    this.write({ next: (chosen + 1) % COUNT, users: { ...users, [holder]: chosen } });
    return this.first + chosen;
  }

  /** The id of a holder, or the one that it would get now. */
  find(holder: string): number {
    const record = this.read();
    return this.first + (record.users[holder] ?? this.firstFree(holder, record));
  }

  /** No error where the holder has none. */
  free(holder: string): void {
    const { next, users } = this.read();
    if (users[holder] === undefined) return;
    const { [holder]: _, ...others } = users;
    this.write({ next, users: others });
  }

  private firstFree(holder: string, { next, users }: Allotment): number {
    const taken = new Set(Object.values(users));
    if (taken.size >= COUNT) throw new EngineError('CAPACITY_EXHAUSTED', 'No user ids are left on this host.');
    let chosen = (this.candidate?.(holder) ?? next) % COUNT;
    while (taken.has(chosen)) chosen = (chosen + 1) % COUNT;
    return chosen;
  }

  private read(): Allotment {
    try {
      const parsed = allotment.safeParse(parseJson(readFileSync(this.file, 'utf8')));
      if (parsed.success) return parsed.data;
    } catch {
      // Nobody has one yet.
    }
    return { next: 0, users: {} };
  }

  private write(record: Allotment): void {
    mkdirSync(dirname(this.file), { recursive: true });
    const draft = `${this.file}.new`;
    const file = openSync(draft, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(record, null, 1));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, this.file);
  }
}
