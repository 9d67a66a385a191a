import { describe, expect, test } from 'vitest';
import { instanceStatuses } from '@/lib/domains/compute/transitions';
import { type InstanceAction, whyNot } from './instance-can';

const everyAction: InstanceAction[] = ['start', 'stop', 'reboot', 'pause', 'unpause', 'rebuild', 'delete', 'console'];

test('each status offers exactly the actions that the API allows', () => {
  const offered = Object.fromEntries(
    instanceStatuses.map((status) => [
      status,
      everyAction.filter((action) => whyNot(action, { status, task: null }) === undefined).join(' '),
    ]),
  );
  expect(offered).toEqual({
    provisioning: 'delete',
    active: 'stop reboot pause rebuild delete console',
    stopped: 'start rebuild delete',
    paused: 'unpause delete console',
    rebooting: 'delete console',
    rebuilding: 'delete',
    deleting: '',
    error: 'start stop rebuild delete',
  });
});

test('a busy instance can only be viewed and deleted', () => {
  const busy = { status: 'active', task: 'stopping' } as const;
  expect(everyAction.filter((action) => whyNot(action, busy) === undefined)).toEqual(['delete', 'console']);
  expect(whyNot('pause', busy)).toBe('Wait for the current task to finish: stopping.');
});

describe('a reason', () => {
  test('names the required status and the current one', () => {
    expect(whyNot('unpause', { status: 'stopped', task: null })).toBe(
      'Only for instances that are paused. This one is stopped.',
    );
  });
});
