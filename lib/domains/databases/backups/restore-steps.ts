import { sql } from '@/lib/core/db/sql';
import { again, type CellStep, failure, goTo, type OperationSteps, operationSteps } from '@/lib/core/operations/steps';
import { changeRow } from '@/lib/core/resources/rows';
import { ensureWired } from '@/lib/domains/network/topology';
import { reasonOf } from '@/lib/engines/error';
import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { driverOf } from '../cluster/drivers';
import { MemberError } from '../cluster/member-error';
import { AGAIN_MS, clusterOf, ensureMembers, inError, launch, TABLE } from '../cluster/steps';
import type { EngineBackups, Source } from './engine';
import { restoreKind } from './operations';

/** A source as the steps of a restore have it in their input. */
type RestoreStep = CellStep<Source>;

const MOST_RESTORES = 4;

/** A part of a restore: what fails again and again ends it, with the reason. */
async function restoring<Result>(
  step: RestoreStep,
  run: (cluster: Cluster, primary: Member, backups: EngineBackups) => Promise<Result>,
) {
  const cluster = await clusterOf(step);
  const primary = primaryOf(servingMembers(cluster));
  const { backups } = driverOf(cluster);
  if (!primary || !backups) return failure('The cluster has no primary.');
  try {
    return await run(cluster, primary, backups);
  } catch (error) {
    if (step.operation.attempts + 1 >= MOST_RESTORES)
      return failure(`The backup could not be restored: ${reasonOf(error)}`);
    throw error;
  }
}

const restoreStages = {
  data: (step: RestoreStep) =>
    restoring(step, async (cluster, primary, backups) => {
      if (step.operation.project_id) await ensureWired(step.cell, step.operation.project_id);
      const started = await ensureMembers(step.cell, cluster, [primary]);
      if (started.settled) return goTo('recovery');
      await backups.send({ cell: step.cell, id: primary.id }, step.input);
      return again(AGAIN_MS, { waits_for: started.waits_for });
    }),
  recovery: (step: RestoreStep) =>
    restoring(step, async (cluster, primary, backups) => {
      const started = await ensureMembers(step.cell, cluster, [primary]);
      if (!started.settled) return again(started.again_ms, { waits_for: started.waits_for });
      try {
        const waits_for = await backups.recover(cluster, primary, step.input);
        if (waits_for !== null) return again(AGAIN_MS, { waits_for });
      } catch (error) {
        if (!(error instanceof MemberError)) throw error;
        return again(AGAIN_MS, { waits_for: 'the restored server to answer' });
      }
      return goTo('primary', { rows: { recovered: changeRow(TABLE, cluster.id, sql`recovery = NULL`) } });
    }),
  ...launch,
};

/** A new cluster whose data come from a backup. */
export const restoreSteps: OperationSteps[] = [
  operationSteps(restoreKind, restoreStages, { failed: inError, concurrency: 2 }),
];
