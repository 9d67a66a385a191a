import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Step } from '@/lib/core/operations/steps';
import { type Cluster, type Member, primaryOf, readCluster } from '../../cluster/clusters';
import { hold, release, repoint } from '../../endpoint/endpoint';
import { findJob, type JobRow } from '../../jobs/rows';
import { endpointOf } from '../promotion';
import { sideOf } from './member-side';
import type { Upgrade } from './procedure';
import type { HeldEndpoint } from './switch-over';

/** An upgrade with everything that its steps act on. */
export type Work = { job: JobRow; cluster: Cluster; former: Member; next: Member; upgrade: Upgrade };

export const membersOf = ({ members }: Cluster, group: number): Member[] =>
  members.filter(({ group_no, leaving }) => group_no === group && !leaving);

/** What a step of an upgrade works on. @throws when the cluster has lost one of its two sides */
export async function workOf({ input }: Step<{ job_id: string }>): Promise<Work> {
  const job = await findJob(input.job_id);
  const cluster = job && (await readCluster(job.cluster_id));
  const former = cluster && primaryOf(membersOf(cluster, job.former_group));
  const next = cluster && primaryOf(membersOf(cluster, job.next_group));
  if (!job || !cluster || !former || !next) throw new Error(`the upgrade ${input.job_id} has no members`);
  const upgrade = {
    jobId: job.id,
    databases: job.databases,
    former: sideOf(cluster, former),
    next: sideOf(cluster, next),
  };
  return { job, cluster, former, next, upgrade };
}

/**
 * The endpoint of a cluster as a switch moves it. Which group serves is decided in the database first: whoever comes after a
 * crash leads clients there.
 */
export const endpointOfUpgrade = ({ job, cluster, former, next }: Work): HeldEndpoint => ({
  hold: () => hold(endpointOf(cluster)),
  async repoint(to) {
    const [group, version, address] =
      to === 'next' ? [job.next_group, job.target_version, next.ip] : [job.former_group, job.from_version, former.ip];
    await execute(sql`UPDATE database_clusters SET serving_group = ${group}::int, version = ${version}::text, moves = moves + 1, updated_at = platform_now()
      WHERE id = ${cluster.id}::uuid AND status = 'upgrading' AND serving_group <> ${group}::int`);
    const [now] = [
      await queryOne<{ serving_group: number }>(
        sql`SELECT serving_group FROM database_clusters WHERE id = ${cluster.id}::uuid`,
      ),
    ];
    if (now?.serving_group !== group) throw new Error('The cluster has changed meanwhile.');
    await repoint(endpointOf(cluster), address);
  },
  release: () => release(endpointOf(cluster)),
});
