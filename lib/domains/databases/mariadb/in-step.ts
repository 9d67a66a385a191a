import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Cluster, servingMembers } from '../cluster/clusters';
import { tell } from './connections';
import { isInStep, isServing, type Seen, statesOf } from './state';

const PATIENT_MS = 5_000;

/** Whether every member serves and has everything. Until the cluster is launched, no agent sees to it. */
export async function inStep(cluster: Cluster): Promise<string | null> {
  const seen = await statesOf(cluster, servingMembers(cluster), PATIENT_MS);
  if (cluster.launched_at === null) await wakeBeforeLaunch(cluster, seen);
  await noteInStep(seen);
  const away = seen.find((one) => !isInStep(one));
  return away ? `member ${away.member.ordinal} to have all data` : null;
}

/** A member that ended before the cluster was launched waits for a word too. */
async function wakeBeforeLaunch(cluster: Cluster, seen: readonly Seen[]): Promise<void> {
  const isServed = seen.some(isServing);
  for (const { member, state } of seen) {
    if (state.isUp || state.desk?.phase !== 'waiting') continue;
    if (isServed || member.role === 'primary') await tell(cluster, member, isServed ? 'join' : 'begin');
  }
}

/** Writes into the rows which members have everything, where it differs. */
export async function noteInStep(seen: readonly Seen[]): Promise<void> {
  for (const one of seen) {
    const isNow = one.member.role === 'standby' && isInStep(one);
    if (one.member.in_sync === isNow) continue;
    await execute(
      sql`UPDATE database_members SET in_sync = ${isNow}::boolean WHERE id = ${one.member.id}::uuid AND role = ${one.member.role}::text`,
    );
  }
}
