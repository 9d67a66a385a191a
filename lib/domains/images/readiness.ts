import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { orderOperation } from '@/lib/core/operations/order';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { ownCell } from '@/lib/settings';
import { prepareKind } from './operations';

/** Whether a disk can be made from the image now; what it waits for, or why it never can. */
export type Readiness = { state: 'ready' } | { state: 'coming'; message: string } | { state: 'failed'; reason: string };

type Found = {
  name: string;
  status: 'queued' | 'saving' | 'importing' | 'active' | 'deleting' | 'error';
  status_reason: string | null;
  public: boolean;
  /** It failed a moment ago: trying again at once would only fail again. */
  resting: boolean;
  percent: number | null;
};

/** How far an image is that something in this cell waits for. A public image that nobody has fetched yet is ordered. */
export async function imageReadiness(cell: string, id: string): Promise<Readiness> {
  const found = await queryOne<Found>(sql`
    SELECT name, status, status_reason, project_id IS NULL AS public,
      status_reason IS NOT NULL AND updated_at > platform_now() - interval '1 minute' AS resting,
      (100 * received_bytes / nullif(size_bytes, 0))::int AS percent FROM images WHERE id = ${id}::uuid`);
  if (!found) return { state: 'failed', reason: 'The image no longer exists.' };
  const { name, status, status_reason } = found;
  switch (status) {
    case 'active':
      return { state: 'ready' };
    case 'error':
    case 'deleting':
      return { state: 'failed', reason: `Image ${name} cannot be used: ${status_reason ?? `it is ${status}`}` };
    case 'queued':
      if (found.public && !found.resting) await orderOperation(prepareKind.start(id, {}, { cell_id: cell }), null);
      return {
        state: 'coming',
        message: `Waiting for image ${name}${status_reason ? `. Last problem: ${status_reason}` : ''}`,
      };
    case 'saving':
    case 'importing':
      return { state: 'coming', message: `Waiting for image ${name}${progressOf(found)}` };
  }
}

function progressOf({ percent, status_reason }: Found): string {
  if (status_reason !== null) return `. Last problem: ${status_reason}`;
  return percent === null ? '' : `: ${percent}%`;
}

/** Sees to it that the platform's own images, which need nothing from outside, are there before someone needs them. */
export const prepareOwnImages: PeriodicJob = {
  name: 'prepare own images',
  every_ms: 60_000,
  async run() {
    const own = await query<{ id: string }>(
      sql`SELECT id FROM images WHERE project_id IS NULL AND status = 'queued' AND source ->> 'kind' = 'tiny'`,
    );
    for (const { id } of own) await imageReadiness(ownCell(), id);
  },
};
