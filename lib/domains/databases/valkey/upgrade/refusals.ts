import type { Cluster, Member } from '../../cluster/clusters';
import { ask } from '../connections';
import { fieldsOf } from '../state';

const PATIENT_MS = 3_000;

/**
 * Commands of the member it follows that a member refused, such as those that its version does not know. It goes on without
 * them: only this count shows that its data differ.
 */
export async function refusalsOf(cluster: Cluster, member: Member): Promise<number> {
  const stats = fieldsOf(String(await ask(cluster, member, ['INFO', 'stats'], PATIENT_MS)));
  return Number(stats.get('unexpected_error_replies') ?? 0);
}
