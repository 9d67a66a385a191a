import { z } from 'zod';
import { type OperationKind, operationKind } from '@/lib/core/operations/kind';
import type { Action } from './transitions';

const MINUTE_MS = 60_000;
const nothing = z.strictObject({});
type Nothing = z.output<typeof nothing>;

/** Steps of whatever ends in a machine that does what its instance should do. */
type ApplyStage = 'image' | 'network' | 'machine';
export type ApplyKind = OperationKind<ApplyStage, Nothing>;

function applyKind(verb: string, minutes: number, stages: ApplyKind['stages']): ApplyKind {
  return operationKind({
    kind: `instance.${verb}`,
    resource_type: 'instance',
    stages,
    input: nothing,
    deadline_ms: minutes * MINUTE_MS,
  });
}

/** What boots needs its image, which may have to be fetched first and takes its time, and its networks. */
const fromImage = ['image', 'network', 'machine'] as const;
/** What is on already has both, and must not fail for what has become of its image. */
const asItIs = ['machine', 'network', 'image'] as const;

export const createKind = applyKind('create', 60, fromImage);
export const startKind = applyKind('start', 60, fromImage);
export const rebuildKind = applyKind('rebuild', 60, fromImage);
export const stopKind = applyKind('stop', 10, asItIs);
export const pauseKind = applyKind('pause', 10, asItIs);
const unpauseKind = applyKind('unpause', 10, asItIs);

export const applyKinds = [createKind, startKind, rebuildKind, stopKind, pauseKind, unpauseKind];

export const rebootKind = operationKind({
  kind: 'instance.reboot',
  resource_type: 'instance',
  stages: ['reboot', 'machine'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});

/** Removes the machine, then its interfaces, and with the last of it the row and what it held of the quota. */
export const deleteKind = operationKind({
  kind: 'instance.delete',
  resource_type: 'instance',
  stages: ['machine', 'network'],
  input: nothing,
  deadline_ms: 60 * MINUTE_MS,
  supersedes: true,
});

export const kindOfAction: Record<Action, OperationKind<string, Nothing>> = {
  reboot: rebootKind,
  start: startKind,
  stop: stopKind,
  pause: pauseKind,
  unpause: unpauseKind,
  rebuild: rebuildKind,
};
