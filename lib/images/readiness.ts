import { queryOne } from '@/lib/db/pool';
import { sql } from '@/lib/db/sql';
import { orderOperation } from '@/lib/operations/order';
import { settings } from '@/lib/settings';
import { prepareKind } from './operations';

/** Whether a disk can be made from the image now; what it waits for, or why it never can. */
export type Readiness = { state: 'ready' } | { state: 'coming'; message: string } | { state: 'failed'; reason: string };

type Found = {
  name: string;
  status: 'queued' | 'saving' | 'importing' | 'active' | 'deleting' | 'error';
  status_reason: string | null;
  public: boolean;
  percent: number | null;
};

/** Looks at an image that something waits for, and sees to it that a public one is on its way. */
export async function imageReadiness(id: string): Promise<Readiness> {
  const found = await queryOne<Found>(sql`
    SELECT name, status, status_reason, project_id IS NULL AS public,
      (100 * received_bytes / nullif(size_bytes, 0))::int AS percent FROM images WHERE id = ${id}::uuid`);
  if (!found) return { state: 'failed', reason: 'Its image is gone.' };
  const { name, status, status_reason, percent } = found;
  switch (status) {
    case 'active':
      return { state: 'ready' };
    case 'error':
    case 'deleting':
      return { state: 'failed', reason: `Image ${name} cannot be used: ${status_reason ?? `it is ${status}`}` };
    case 'queued':
      if (found.public) await orderOperation(prepareKind.start(id, {}, { host_id: settings().hostId }), null);
      return {
        state: 'coming',
        message: `Waits for image ${name}${status_reason ? `. Last problem: ${status_reason}` : ''}`,
      };
    case 'saving':
    case 'importing':
      return { state: 'coming', message: `Waits for image ${name}${percent === null ? '' : `: ${percent} %`}` };
  }
}
