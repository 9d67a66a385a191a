import type { Cluster, Member } from '../cluster/clusters';
import { ask } from './connections';
import { NO_WRITES, PING_SECONDS } from './settings-file';

const CHANGE_MS = 2_000;
/** Longer than any switch: a ping of the former primary's own would keep it from following the next one without a full copy. */
const NO_PING_SECONDS = 3_600;

/** Makes a primary refuse writes until `settleWrites`, even if the platform ends in between. */
export const refuseWrites = (cluster: Cluster, member: Pick<Member, 'id'>) =>
  set(cluster, member, NO_WRITES, NO_PING_SECONDS);

/** Has a member take writes as its role allows, or none while the cluster's disk is full; a pause of a switch ends. */
export async function settleWrites(cluster: Cluster, member: Pick<Member, 'id'>, isReadOnly: boolean): Promise<void> {
  await set(cluster, member, isReadOnly ? NO_WRITES : 0, PING_SECONDS);
  await ask(cluster, member, ['CLIENT', 'UNPAUSE'], CHANGE_MS);
}

const set = (cluster: Cluster, member: Pick<Member, 'id'>, replicas: number, ping: number) =>
  ask(
    cluster,
    member,
    ['CONFIG', 'SET', 'min-replicas-to-write', replicas, 'repl-ping-replica-period', ping],
    CHANGE_MS,
  );
