import { type Cluster, type Member, memberStatusOf } from './types';

/** Whether a member is of the version that serves; the others are an upgrade's, or kept for its way back. */
export const isServing = ({ version }: Pick<Cluster, 'version'>, member: Pick<Member, 'version'>): boolean =>
  member.version === version;

/** "2 of 3 up", of the version that serves and without those that only answer Sentinel clients. */
export function membersUp(cluster: Pick<Cluster, 'members' | 'instances' | 'version'>): string {
  const up = cluster.members.filter(
    (member) => isServing(cluster, member) && member.role !== 'sentinel' && memberStatusOf(member) === 'up',
  );
  return `${up.length} of ${cluster.instances} up`;
}

/** The members of a cluster, those that serve first. */
export const servingFirst = ({ members, version }: Pick<Cluster, 'members' | 'version'>): Member[] =>
  members.toSorted((one, other) => Number(isServing({ version }, other)) - Number(isServing({ version }, one)));
