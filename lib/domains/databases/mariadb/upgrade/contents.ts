import type { Cluster, Member } from '../../cluster/clusters';
import { type Check, checkOf, type Problem } from '../../jobs/check';
import { ask } from '../connections';

const PATIENT_MS = 10_000;

/** What of the contents does not go along with the versions beside each other in one group, named one by one. */
export async function checkContents(cluster: Cluster, primary: Member): Promise<Check> {
  const problems: Problem[] = [];
  const look = <Row extends object>(statement: string) =>
    ask<Row>(cluster, primary, statement, { timeoutMs: PATIENT_MS });
  const tables = await look<{ place: string; name: string; kind: string; hasKey: number }>(`
    SELECT t.table_schema AS place, t.table_name AS name, t.table_type AS kind,
      EXISTS (SELECT 1 FROM information_schema.table_constraints c WHERE c.table_schema = t.table_schema
        AND c.table_name = t.table_name AND c.constraint_type = 'PRIMARY KEY') AS hasKey
    FROM information_schema.tables t WHERE t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
      AND t.table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1, 2`);
  for (const { place, name, kind, hasKey } of tables) {
    if (kind === 'SYSTEM VERSIONED')
      problems.push({
        blocks: true,
        text: `The table ${place}.${name} keeps its history, whose end the new version writes differently. Drop its system versioning for the upgrade.`,
      });
    if (!hasKey)
      problems.push({
        blocks: false,
        text: `The table ${place}.${name} has no primary key: deleting many of its rows slows all members down.`,
      });
  }
  const prepared = await look<{ data: string }>('XA RECOVER');
  for (const { data } of prepared)
    problems.push({ blocks: true, text: `The transaction ${data} is prepared. Commit it, or roll it back.` });
  if (cluster.instances === 1)
    problems.push({
      blocks: false,
      text: 'The cluster has one member: it takes no writes while its data are copied to the new one.',
    });
  return checkOf(
    'compatibility',
    problems,
    `All tables go along with the new version (${tables.length}).`,
    'Some contents need your attention.',
  );
}
