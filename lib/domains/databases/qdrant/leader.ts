import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';

/** The member that another one follows: that of a version which does not serve follows the one that does. */
export const leaderOf = (cluster: Cluster, member: Pick<Member, 'group_no'>): Member | undefined =>
  member.group_no === cluster.serving_group ? undefined : primaryOf(servingMembers(cluster));
