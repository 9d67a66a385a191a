import type { Cluster, Member } from '../cluster/clusters';
import { ask } from './connections';

const SET_MS = 3_000;
const VARIABLES = { weight: 'wsrep_provider_pc_weight', bootstrap: 'wsrep_provider_pc_bootstrap' } as const;

/**
 * Changes an option of Galera's while the server runs. 11.8 has a variable for each, and refuses them as a list; 10.11 has the
 * list alone.
 */
export async function setProvider(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  option: keyof typeof VARIABLES,
  value: number,
): Promise<void> {
  const variable = VARIABLES[option];
  const known = await ask(cluster, member, 'SHOW GLOBAL VARIABLES LIKE ?', { values: [variable], timeoutMs: SET_MS });
  const change =
    known.length > 0
      ? `SET GLOBAL ${variable} = ${value}`
      : `SET GLOBAL wsrep_provider_options = 'pc.${option}=${value}'`;
  await ask(cluster, member, change, { timeoutMs: SET_MS });
}
