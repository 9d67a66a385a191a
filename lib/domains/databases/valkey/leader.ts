import { type Cluster, type Member, membersOf, primaryOf, servingMembers } from '../cluster/clusters';

/** Whom a member follows: a standby the primary of its version, and the primary of a version that does not serve the one that does. */
export function leaderOf(cluster: Cluster, member: Member): Member | undefined {
  if (member.role !== 'primary') return primaryOf(membersOf(cluster, member.group_no));
  return member.group_no === cluster.serving_group ? undefined : primaryOf(servingMembers(cluster));
}
