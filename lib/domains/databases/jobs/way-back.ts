import { now } from '@/lib/clock';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Look } from '@/lib/core/domains/watch';
import { orderOperation } from '@/lib/core/operations/order';
import { log } from '@/lib/log';
import { membersOf, primaryOf, readCluster } from '../cluster/clusters';
import { endWayBackKind } from './operations';
import { type JobRow, keptJobs } from './rows';
import { upgradesOf } from './work';

/**
 * Looks after the way back of completed upgrades in a cell: tells when it is lost, and removes the former version when it
 * ends.
 */
export const wayBackLook = (cell: string): Look => ({
  name: 'watching the way back of upgrades',
  every_ms: 15_000,
  begin: () => ({
    async look() {
      for (const job of await keptJobs(null)) {
        try {
          await lookAfter(cell, job);
        } catch (error) {
          log.warn({ err: error, job: job.id }, 'the way back of an upgrade could not be checked');
        }
      }
    },
  }),
});

async function lookAfter(cell: string, job: JobRow): Promise<void> {
  const cluster = await readCluster(job.cluster_id);
  if (!cluster || cluster.cell_id !== cell || !['available', 'degraded'].includes(cluster.status)) return;
  const isOver = job.rollback_until !== null && new Date(job.rollback_until) <= now();
  if (!isOver && job.rollback_ended === null) {
    const [former, next] = [job.former_group, job.next_group].map((group) => primaryOf(membersOf(cluster, group)));
    if (!former || !next) return;
    const found = await upgradesOf(cluster).wayBack({ job, cluster, former, next });
    if (found.possible) return;
    await execute(sql`UPDATE database_jobs SET rollback_ended = ${found.reason}::text, updated_at = platform_now(), logs = logs ||
      ${JSON.stringify([{ at: now().toISOString(), level: 'warning', message: `The way back has ended. ${found.reason}` }])}::jsonb
      WHERE id = ${job.id}::uuid AND rollback_ended IS NULL`);
  }
  await orderOperation(endWayBackKind.start(job.cluster_id, { job_id: job.id }, cluster), job.project_id);
}
