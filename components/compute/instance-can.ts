import type { Role } from '@/lib/client/project';
import { type Action, type InstanceStatus, type InstanceTask, transitions } from '@/lib/compute/transitions';

export type InstanceAction = Action | 'delete' | 'console';

/** What decides what can be done with an instance. */
export interface InstanceState {
  status: InstanceStatus;
  task: InstanceTask | null;
}

const consoleStates: readonly InstanceStatus[] = ['active', 'paused', 'rebooting'];

/**
 * Why an action can't be used now; undefined when it can. The one place where pages decide this; the transitions
 * are those that the API itself goes by.
 */
export function whyNot(action: InstanceAction, { status, task }: InstanceState, role: Role): string | undefined {
  if (role === 'reader') return 'Requires the member role.';
  if (status === 'deleting') return 'It is being deleted.';
  if (action === 'delete') return undefined;
  if (action === 'console') {
    return consoleStates.includes(status) ? undefined : `Its console opens when it is active; it is ${status} now.`;
  }
  if (task !== null) return `Wait until it is done ${task}.`;
  const { from } = transitions[action];
  return from.includes(status) ? undefined : `Possible when it is ${from.join(' or ')}; it is ${status} now.`;
}
