import { type Cluster, servingMembers } from '../cluster/clusters';
import { NONE_ABSENT, newReplicationMemory, type ReplicationMemory, settleReplication } from './replication';
import { statesOf } from './state';

/** An operation waits for a member that is only slow. */
const PATIENT_MS = 5_000;

/** What each creation knows of the standbys it waits for. */
const memories = new Map<string, ReplicationMemory>();

/** Whether every standby follows the primary and has everything. Until the cluster is launched, no agent sees to it. */
export async function inStep(cluster: Cluster): Promise<string | null> {
  const members = servingMembers(cluster);
  const seen = await statesOf(cluster, members, PATIENT_MS);
  const primary = seen.find(({ member }) => member.role === 'primary');
  if (!primary?.state.isUp || !primary.state.isPrimary) return 'the primary to serve';
  const standbys = members.filter(({ role }) => role === 'standby');
  if (cluster.launched_at === null) {
    const memory = memories.get(cluster.id) ?? newReplicationMemory();
    memories.set(cluster.id, memory);
    await settleReplication(cluster, primary.member, primary.state, standbys, NONE_ABSENT, memory);
  }
  if (!standbys.every(({ in_sync }) => in_sync)) return 'the standbys to catch up';
  memories.delete(cluster.id);
  return null;
}
