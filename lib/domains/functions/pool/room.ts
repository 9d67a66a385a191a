import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { guarded } from '@/lib/core/quota/guarded';
import { crowded, demandParts } from '@/lib/core/quota/needs';
import { EngineError } from '@/lib/engines/error';
import type { RunnableVersion } from './facts';

type Owner = Pick<RunnableVersion, 'project_id' | 'function_id'>;
type Held = { project_id: string; wantedMb: number; writtenMb: number; writing: Promise<void> | undefined };

/**
 * The memory of instances in the reservations of their cell, one entry for each function (docs/decisions/0136). It is
 * reserved before an instance starts, and given back within seconds of its end.
 */
export class Room {
  private readonly functions = new Map<string, Held>();

  constructor(private readonly cell: string) {}

  /** Releases the reservations of the previous pool, whose instances ended with it. */
  async recover(): Promise<void> {
    const rows = await query<{ id: string; project_id: string; held_mb: number }>(
      sql`SELECT id, project_id, held_mb FROM functions WHERE cell_id = ${this.cell}::text AND held_mb > 0`,
    );
    for (const { id, project_id, held_mb } of rows) this.of({ function_id: id, project_id }).writtenMb += held_mb;
    await this.trim();
  }

  /** Counts an instance that is about to start. */
  add(owner: Owner, mb: number): void {
    this.of(owner).wantedMb += mb;
  }

  /** Counts an instance no more. */
  remove(owner: Owner, mb: number): void {
    this.of(owner).wantedMb -= mb;
  }

  /**
   * Resolves when all that has been added for a function is reserved.
   * @throws EngineError `CAPACITY_EXHAUSTED` when it does not fit, or when the function is gone
   */
  async reserve(owner: Owner): Promise<void> {
    const held = this.of(owner);
    while (held.writtenMb < held.wantedMb) await this.written(owner.function_id, held);
  }

  /** Releases the memory of removed instances. */
  async trim(): Promise<void> {
    for (const [id, held] of this.functions) {
      while (held.writtenMb > held.wantedMb) await this.written(id, held);
      if (held.wantedMb === 0 && held.writtenMb === 0) this.functions.delete(id);
    }
  }

  private of({ function_id, project_id }: Owner): Held {
    const present = this.functions.get(function_id);
    if (present) return present;
    const held = { project_id, wantedMb: 0, writtenMb: 0, writing: undefined };
    this.functions.set(function_id, held);
    return held;
  }

  /** Writes of one function take turns; callers that waited for another write check again. */
  private async written(id: string, held: Held): Promise<void> {
    if (held.writing) return held.writing.catch(() => {});
    held.writing = this.write(id, held).finally(() => {
      held.writing = undefined;
    });
    return held.writing;
  }

  private async write(id: string, held: Held): Promise<void> {
    const mb = held.wantedMb;
    const memory_mb = sql`${mb}::int - coalesce((SELECT held_mb FROM functions WHERE id = ${id}::uuid), 0)`;
    const needs = [{ cell: this.cell, device: id, amounts: { memory_mb } }];
    const [verdict] = await query<{ ok: boolean }>(
      guarded({
        lock: { project_id: held.project_id, account: true },
        guard: [
          ...demandParts(needs, false),
          [
            'verdict',
            sql`SELECT k.project_id, NOT ${crowded(needs)} AND (${mb}::int = 0 OR EXISTS (SELECT FROM functions WHERE id = ${id}::uuid)) AS ok
              FROM k`,
          ],
        ],
        needs,
        rows: [
          ['held', sql`UPDATE functions SET held_mb = ${mb}::int FROM verdict WHERE verdict.ok AND id = ${id}::uuid`],
        ],
        hints: [],
        returns: raw('ok'),
      }),
    );
    if (!verdict?.ok)
      throw new EngineError('CAPACITY_EXHAUSTED', 'The host has no memory for another instance of a function.');
    held.writtenMb = mb;
  }
}
