export const instanceStatuses = [
  'provisioning',
  'active',
  'stopped',
  'paused',
  'rebooting',
  'rebuilding',
  'deleting',
  'error',
] as const;
export type InstanceStatus = (typeof instanceStatuses)[number];

export const instanceTasks = [
  'creating',
  'starting',
  'stopping',
  'pausing',
  'unpausing',
  'rebooting',
  'rebuilding',
  'deleting',
] as const;
export type InstanceTask = (typeof instanceTasks)[number];

export const actions = ['reboot', 'start', 'stop', 'pause', 'unpause', 'rebuild'] as const;
export type Action = (typeof actions)[number];

export type Power = 'running' | 'paused' | 'stopped';

export type Transition = {
  /** The states that it is possible in, while nothing else is being done. */
  from: readonly InstanceStatus[];
  task: InstanceTask;
  /** The state meanwhile, where it has a name of its own. */
  meanwhile?: InstanceStatus;
  /** What the instance should be doing afterwards; absent: what it should be doing now. */
  power?: Power;
};

/** What each action needs and leads to (spec 3.2). A failed instance can be started, stopped or rebuilt. */
export const transitions: Record<Action, Transition> = {
  reboot: { from: ['active'], task: 'rebooting', meanwhile: 'rebooting' },
  start: { from: ['stopped', 'error'], task: 'starting', power: 'running' },
  stop: { from: ['active', 'error'], task: 'stopping', power: 'stopped' },
  pause: { from: ['active'], task: 'pausing', power: 'paused' },
  unpause: { from: ['paused'], task: 'unpausing', power: 'running' },
  rebuild: { from: ['active', 'stopped', 'error'], task: 'rebuilding', meanwhile: 'rebuilding' },
};

/** The state of an instance that does what it should. */
export const settledStatus: Record<Power, InstanceStatus> = {
  running: 'active',
  paused: 'paused',
  stopped: 'stopped',
};

/** Why an action is refused: what the instance is, and when the action is possible. */
export function impossible(name: string, action: Action, state: string): string {
  return `Instance ${name} is ${state}; ${action} requires it to be ${transitions[action].from.join(' or ')}.`;
}
