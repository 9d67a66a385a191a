import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Cluster, servingMembers } from '../cluster/clusters';
import { lasting, type Since } from '../cluster/lasting';
import { restartMember } from '../cluster/member-process';
import { forget, tell } from './connections';
import { memberSpec } from './specs';
import { isInStep, isServing, type Seen, statesOf } from './state';

const PATIENT_MS = 5_000;

/** What each creation remembers of its members. */
const creations = new Map<string, Since>();

/** Whether every member serves and has everything. Until the cluster is launched, no agent sees to it. */
export async function inStep(cluster: Cluster): Promise<string | null> {
  const seen = await statesOf(cluster, servingMembers(cluster), PATIENT_MS);
  if (cluster.launched_at === null) {
    const since: Since = creations.get(cluster.id) ?? new Map();
    creations.set(cluster.id, since);
    await wakeBeforeLaunch(cluster, seen);
    bringBack(cluster, seen, since);
  }
  await noteInStep(seen);
  const away = seen.find((one) => !isInStep(one));
  if (!away) creations.delete(cluster.id);
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

/** A member that the others have put out never comes back by itself, though its server runs. */
const PARTED_MS = 15_000;

/** Starts members anew that have been apart from a group that serves for long: they fetch what they lack. */
export function bringBack(cluster: Cluster, seen: readonly Seen[], since: Since): void {
  const isServed = seen.some(isServing);
  for (const one of seen) {
    const what = `parted ${one.member.id}`;
    if (lasting(since, what, isServed && one.state.isUp && one.state.isParted) < PARTED_MS) continue;
    since.delete(what);
    forget(one.member);
    restartMember(memberSpec, cluster, one.member);
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
