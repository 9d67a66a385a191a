import type { Cluster, Member } from '../cluster/clusters';
import { ask } from './connections';

const SET_MS = 3_000;
const VARIABLE = 'wsrep_provider_pc_bootstrap';

/**
 * Lets members that lost the majority go on as the whole group. 11.8 has a variable for this and refuses the list of options;
 * 10.11 has only the list.
 */
export async function bootstrapGroup(cluster: Cluster, member: Pick<Member, 'id'>): Promise<void> {
  const known = await ask(cluster, member, 'SHOW GLOBAL VARIABLES LIKE ?', { values: [VARIABLE], timeoutMs: SET_MS });
  const change =
    known.length > 0 ? `SET GLOBAL ${VARIABLE} = 1` : `SET GLOBAL wsrep_provider_options = 'pc.bootstrap=1'`;
  await ask(cluster, member, change, { timeoutMs: SET_MS });
}
