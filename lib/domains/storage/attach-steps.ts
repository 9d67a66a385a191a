import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { done, operationSteps, underWay } from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow, settledRow } from '@/lib/core/resources/rows';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import type { Settlement } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { instanceHint } from './attaching';
import { attachKind, detachKind } from './operations';

/** Whether this is still to be done: an instance that was deleted meanwhile has let go of its volumes. */
async function isWanted(volumeId: string, instanceId: string, status: 'attaching' | 'detaching'): Promise<boolean> {
  const found = await queryOne(sql`
    SELECT FROM volumes v JOIN volume_attachments a ON a.volume_id = v.id AND a.instance_id = ${instanceId}::uuid
    WHERE v.id = ${volumeId}::uuid AND v.status = ${status}::text`);
  return found !== undefined;
}

/** The volume is out of its instance; nothing where that has been written already. */
function outOf(volumeId: string, instanceId: string, status: 'attaching' | 'detaching', reason: string | null) {
  const still = sql`volumes.status = ${status}::text AND EXISTS (
    SELECT FROM volume_attachments a WHERE a.volume_id = volumes.id AND a.instance_id = ${instanceId}::uuid)`;
  return {
    volume: sql`${changeRow('volumes', volumeId, sql`status = 'available', status_reason = ${reason}::text`)} AND ${still}`,
    attachment: sql`DELETE FROM volume_attachments a USING verdict
      WHERE verdict.ok AND a.volume_id = ${volumeId}::uuid AND a.instance_id = ${instanceId}::uuid`,
  };
}

/** A machine that is gone holds no volume. */
async function takeOut(cell: string, volumeId: string, instanceId: string): Promise<Settlement> {
  try {
    return await engineOf(cell).storage.detachVolume(volumeId, instanceId);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'NOT_FOUND') throw error;
    return { settled: true };
  }
}

export const attachSteps = operationSteps(
  attachKind,
  {
    async attach(step) {
      const { resource_id: id, project_id } = step.operation;
      const { instance_id } = step.input;
      if (!(await isWanted(id, instance_id, 'attaching'))) return done();
      return throughEngine(
        step,
        'volumes',
        () => engineOf(step.cell).storage.attachVolume(id, instance_id),
        () =>
          done({
            rows: {
              volume: sql`${settledRow('volumes', id, 'in_use')} AND volumes.status = 'attaching'`,
              instance: instanceHint(project_id, instance_id),
            },
          }),
      );
    },
  },
  {
    async failed({ operation: { resource_id: id, project_id }, input: { instance_id }, cell }, reason) {
      if (!(await isWanted(id, instance_id, 'attaching'))) return done();
      const answer = await takeOut(cell, id, instance_id).catch((error): Settlement => {
        // A machine that still does not respond may hold it; the observer takes it out when it responds again.
        if (!(error instanceof EngineError)) throw error;
        log.warn({ err: error, volume: id, instance: instance_id }, 'a volume that could not be attached may be held');
        return { settled: true };
      });
      if (!answer.settled) return underWay(answer);
      const told = `The volume could not be attached: ${reason}`;
      return done({
        rows: { ...outOf(id, instance_id, 'attaching', told), instance: instanceHint(project_id, instance_id) },
      });
    },
  },
);

export const detachSteps = operationSteps(
  detachKind,
  {
    async detach(step) {
      const { resource_id: id, project_id } = step.operation;
      const { instance_id } = step.input;
      if (!(await isWanted(id, instance_id, 'detaching'))) return done();
      return throughEngine(
        step,
        'volumes',
        () => takeOut(step.cell, id, instance_id),
        () =>
          done({
            rows: { ...outOf(id, instance_id, 'detaching', null), instance: instanceHint(project_id, instance_id) },
          }),
      );
    },
  },
  {
    async failed({ operation: { resource_id: id } }, reason) {
      const told = `The volume could not be detached: ${reason}`;
      const back = changeRow('volumes', id, sql`status = 'in_use', status_reason = ${told}::text`);
      return done({ rows: { volume: sql`${back} AND volumes.status = 'detaching'` } });
    },
  },
);
