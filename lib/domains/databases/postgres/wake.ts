import type { Cluster } from '../cluster/clusters';
import { lasting, type Since } from '../cluster/lasting';
import { rebuildMember, restartMember } from '../cluster/member-process';
import { forget } from './connections';
import { memberSpec } from './specs';
import type { Seen } from './state';

/** How long a member may hang, or follow nobody. */
const HUNG_MS = 8_000;
const ASTRAY_MS = 15_000;

/**
 * Restarts a member that hangs, and rebuilds a standby that follows nobody.
 * @param isServed whether the primary of its version serves
 */
export function wakeMember(cluster: Cluster, { member, state }: Seen, isServed: boolean, since: Since): void {
  const isSilent = !state.isUp && state.failure === 'silent';
  if (lasting(since, `hung ${member.id}`, isSilent) >= HUNG_MS) {
    since.delete(`hung ${member.id}`);
    forget(member);
    restartMember(memberSpec, cluster, member);
  }
  const isAstray = isServed && member.role === 'standby' && state.isUp && !state.isPrimary && !state.isStreaming;
  if (lasting(since, `astray ${member.id}`, isAstray) >= ASTRAY_MS) {
    since.delete(`astray ${member.id}`);
    forget(member);
    rebuildMember(memberSpec, cluster, member);
  }
}
