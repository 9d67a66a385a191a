import type { OperationId } from '@/lib/client/may';
import { type Action, type InstanceStatus, type InstanceTask, transitions } from '@/lib/domains/compute/transitions';

export type InstanceAction = Action | 'delete' | 'console';

/** The API operation that an action calls. */
export function operationOf(action: InstanceAction): OperationId {
  return action === 'delete' ? 'deleteInstance' : action === 'console' ? 'openConsole' : 'actOnInstance';
}

/** The state that decides which actions are allowed. */
export interface InstanceState {
  status: InstanceStatus;
  task: InstanceTask | null;
}

const inWords = (status: InstanceStatus) => (status === 'error' ? 'in error' : status);

const consoleStates: readonly InstanceStatus[] = ['active', 'paused', 'rebooting'];

/** Why an instance does not allow an action in its state; undefined if it does. The transitions are the API's own. */
export function whyNot(action: InstanceAction, { status, task }: InstanceState): string | undefined {
  if (status === 'deleting') return 'This instance is being deleted.';
  if (action === 'delete') return undefined;
  if (action === 'console') {
    return consoleStates.includes(status)
      ? undefined
      : `The console opens for active instances. This one is ${inWords(status)}.`;
  }
  if (task !== null) return `Wait for the current task to finish: ${task}.`;
  const { from } = transitions[action];
  return from.includes(status)
    ? undefined
    : `Only for instances that are ${from.map(inWords).join(' or ')}. This one is ${inWords(status)}.`;
}
