import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Step } from '@/lib/core/operations/steps';
import { type Cluster, membersOf, primaryOf, readCluster } from '../cluster/clusters';
import { driverOf } from '../cluster/drivers';
import { endpointOf } from '../cluster/specs';
import { hold, release, repoint } from '../endpoint/endpoint';
import type { HeldEndpoint, UpgradeEngine, Work } from './engine';
import { findJob } from './rows';

/** @throws Error for an engine whose clusters cannot be upgraded */
export function upgradesOf(cluster: Pick<Cluster, 'engine'>): UpgradeEngine {
  const { upgrades } = driverOf(cluster);
  if (!upgrades) throw new Error(`this release has no upgrades of ${cluster.engine}`);
  return upgrades;
}

/** What a step of an upgrade works on. @throws when the cluster has lost one of its two sides */
export async function workOf({ input }: Pick<Step<{ job_id: string }>, 'input'>): Promise<Work> {
  const job = await findJob(input.job_id);
  const cluster = job && (await readCluster(job.cluster_id));
  const former = cluster && primaryOf(membersOf(cluster, job.former_group));
  const next = cluster && primaryOf(membersOf(cluster, job.next_group));
  if (!job || !cluster || !former || !next) throw new Error(`the upgrade ${input.job_id} has no members`);
  return { job, cluster, former, next };
}

/**
 * The endpoint of a cluster as a switch moves it. Which group serves is decided in the database first: whoever comes after a
 * crash leads clients there.
 */
export const endpointOfUpgrade = ({ job, cluster, former, next }: Work): HeldEndpoint => ({
  hold: () => hold(endpointOf(cluster)),
  async repoint(to, sessions) {
    const [group, version, address] =
      to === 'next' ? [job.next_group, job.target_version, next.ip] : [job.former_group, job.from_version, former.ip];
    await execute(sql`UPDATE database_clusters SET serving_group = ${group}::int, version = ${version}::text, moves = moves + 1, updated_at = platform_now()
      WHERE id = ${cluster.id}::uuid AND status = 'upgrading' AND serving_group <> ${group}::int`);
    const now = await queryOne<{ serving_group: number }>(
      sql`SELECT serving_group FROM database_clusters WHERE id = ${cluster.id}::uuid`,
    );
    if (now?.serving_group !== group) throw new Error('The cluster has changed meanwhile.');
    await repoint(endpointOf(cluster), address, sessions);
  },
  release: () => release(endpointOf(cluster)),
});
