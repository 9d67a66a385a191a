import { sql } from '@/lib/core/db/sql';
import { again, type CellStep, failure, goTo, type OperationSteps, operationSteps } from '@/lib/core/operations/steps';
import { changeRow } from '@/lib/core/resources/rows';
import { ensureWired } from '@/lib/domains/network/topology';
import { reasonOf } from '@/lib/engines/error';
import { restoreKind } from '../backups/operations';
import { bringData, bringLog, type Source } from '../backups/recover';
import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { AGAIN_MS, clusterOf, ensureMembers, inError, launch, TABLE } from '../cluster/steps';
import { openSecrets } from '../secrets';
import { ask, forget } from './connections';
import { SUPERUSER } from './settings-file';
import { sideOf } from './upgrade/member-side';
import { forgetUpgrade } from './upgrade/procedure';

/** An operation waits for a member that is only slow. */
const PATIENT_MS = 5_000;

/** A source as the steps of a restore have it in their input. */
type RestoreStep = CellStep<Source>;

const MOST_RESTORES = 4;

/** A part of a restore: what fails again and again ends it, with the reason. */
async function restoring<Result>(step: RestoreStep, run: (cluster: Cluster, primary: Member) => Promise<Result>) {
  const cluster = await clusterOf(step);
  const primary = primaryOf(servingMembers(cluster));
  if (!primary) return failure('The cluster has no primary.');
  try {
    return await run(cluster, primary);
  } catch (error) {
    if (step.operation.attempts + 1 >= MOST_RESTORES)
      return failure(`The backup could not be restored: ${reasonOf(error)}`);
    throw error;
  }
}

const restoreStages = {
  data: (step: RestoreStep) =>
    restoring(step, async (cluster, primary) => {
      if (step.operation.project_id) await ensureWired(step.cell, step.operation.project_id);
      const started = await ensureMembers(step.cell, cluster, [primary]);
      if (started.settled) return goTo('recovery');
      await bringData({ cell: step.cell, id: primary.id }, step.input);
      return again(AGAIN_MS, { waits_for: started.waits_for });
    }),
  recovery: (step: RestoreStep) =>
    restoring(step, async (cluster, primary) => {
      const started = await ensureMembers(step.cell, cluster, [primary]);
      if (!started.settled) return again(started.again_ms, { waits_for: started.waits_for });
      try {
        const isDone = await bringLog({ cell: step.cell, id: primary.id }, step.input, (statement) =>
          ask(cluster, primary, statement, { timeoutMs: PATIENT_MS }),
        );
        if (!isDone) return again(AGAIN_MS, { waits_for: 'the log to be replayed' });
        const { superuser } = openSecrets(cluster.id, cluster.sealed_secrets);
        await ask(cluster, primary, `ALTER ROLE ${SUPERUSER} PASSWORD '${superuser}'`, { timeoutMs: PATIENT_MS });
        // What an upgrade of the former cluster had set up is of no use here.
        await forgetUpgrade(sideOf(cluster, primary));
      } catch (error) {
        if (!(error instanceof MemberError)) throw error;
        return again(AGAIN_MS, { waits_for: 'the restored server to answer' });
      }
      forget(primary);
      return goTo('primary', { rows: { recovered: changeRow(TABLE, cluster.id, sql`recovery = NULL`) } });
    }),
  ...launch,
};

/** A new cluster whose data come from a backup. */
export const restoreSteps: OperationSteps[] = [
  operationSteps(restoreKind, restoreStages, { failed: inError, concurrency: 2 }),
];
