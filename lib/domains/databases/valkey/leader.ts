import { type Cluster, type Member, membersOf, primaryOf, servingMembers } from '../cluster/clusters';

/** The member that another one replicates from: standbys from the primary of their version, an idle version's primary from the serving one. */
export function leaderOf(cluster: Cluster, member: Member): Member | undefined {
  if (member.role !== 'primary') return primaryOf(membersOf(cluster, member.group_no));
  return member.group_no === cluster.serving_group ? undefined : primaryOf(servingMembers(cluster));
}
