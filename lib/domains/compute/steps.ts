import { availableParallelism } from 'node:os';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { deviceDelete } from '@/lib/core/devices/device';
import { interruptible } from '@/lib/core/operations/interruptible';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
} from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow, waitingFor } from '@/lib/core/resources/rows';
import { imageReadiness } from '@/lib/domains/images/readiness';
import { portsReleased } from '@/lib/domains/network/ports';
import { ensureWired } from '@/lib/domains/network/topology';
import { detachedFromGone } from '@/lib/domains/storage/attachments';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import type { Settlement } from '@/lib/hosts/services/engine';
import { countLastEgress } from './egress';
import type { InstanceSpec } from './engine';
import { type ApplyKind, applyKinds, createKind, deleteKind, rebootKind, startKind } from './operations';
import { readSpec } from './spec';
import { settledStatus } from './transitions';

/** Interval between checks for the image. */
const WAIT_MS = 500;
/** How many instances are begun at once; how many of them boot at once, the engine knows better. */
const BOOTS = Math.max(6, availableParallelism());

type Nothing = Record<string, never>;
type InstanceStep = CellStep<Nothing>;

/** The instance does what it should. Why it is stopped stays to be read. */
function settled({ id, power }: InstanceSpec): { rows: Record<string, Sql> } {
  return {
    rows: {
      instance: changeRow(
        'instances',
        id,
        sql`status = ${settledStatus[power]}::text, task = NULL,
          status_reason = CASE WHEN ${power}::text = 'stopped' THEN instances.status_reason END,
          launched_at = coalesce(instances.launched_at, CASE WHEN ${power}::text = 'running' THEN platform_now() END)`,
      ),
    },
  };
}

async function toError({ operation }: InstanceStep, reason: string) {
  return done({
    rows: {
      instance: changeRow(
        'instances',
        operation.resource_id,
        sql`status = 'error', task = NULL, status_reason = ${reason}::text`,
      ),
    },
  });
}

/** Makes the machine what its row says. */
async function applySpec(step: InstanceStep) {
  const spec = await readSpec(step.operation.resource_id);
  if (!spec) return done();
  return throughEngine(
    step,
    'instances',
    () => engineOf(step.cell).compute.ensureInstance(spec),
    () => done(settled(spec)),
  );
}

function applySteps(kind: ApplyKind): OperationSteps {
  return operationSteps(
    kind,
    {
      async image(step) {
        const id = step.operation.resource_id;
        const found = await queryOne<{ image_id: string }>(sql`SELECT image_id FROM instances WHERE id = ${id}::uuid`);
        if (!found) return done();
        const readiness = await imageReadiness(step.cell, found.image_id);
        if (readiness.state === 'failed') return failure(readiness.reason);
        return readiness.state === 'ready'
          ? goTo('network')
          : again(WAIT_MS, waitingFor('instances', id, readiness.message));
      },
      async network({ operation: { project_id }, cell, signal }) {
        if (project_id) await interruptible(ensureWired(cell, project_id), signal);
        return goTo('machine');
      },
      machine: applySpec,
    },
    { failed: toError, concurrency: kind === createKind || kind === startKind ? BOOTS : 4 },
  );
}

const rebootSteps = operationSteps(
  rebootKind,
  {
    async reboot(step) {
      const { id, resource_id } = step.operation;
      const reboot = async (): Promise<Settlement> => {
        try {
          return await engineOf(step.cell).compute.rebootInstance(resource_id, 'soft', id);
        } catch (error) {
          // The guest has just switched itself off: the next stage starts it.
          if (!(error instanceof EngineError) || error.code !== 'NOT_FOUND') throw error;
          return { settled: true };
        }
      };
      return throughEngine(step, 'instances', reboot, () => goTo('machine'));
    },
    machine: applySpec,
  },
  { failed: toError, concurrency: 4 },
);

const deleteSteps = operationSteps(
  deleteKind,
  {
    async machine({ operation: { resource_id: id, project_id }, cell, signal }) {
      await interruptible(engineOf(cell).compute.removeInstance(id), signal);
      await interruptible(countLastEgress(cell, id), signal);
      return goTo('network', {
        rows: { ...detachedFromGone(id), ...portsReleased(id, project_id) },
      });
    },
    async network({ operation: { resource_id: id, project_id }, cell, signal }) {
      if (project_id) await interruptible(ensureWired(cell, project_id), signal);
      return done({
        release: true,
        rows: {
          gone: sql`DELETE FROM instances USING verdict WHERE verdict.ok AND instances.id = ${id}::uuid`,
          device_gone: deviceDelete(id),
        },
      });
    },
  },
  { failed: (step, reason) => toError(step, `The instance could not be deleted: ${reason} Try deleting it again.`) },
);

/** What workers do to instances. */
export const instanceSteps: readonly OperationSteps[] = [...applyKinds.map(applySteps), rebootSteps, deleteSteps];
