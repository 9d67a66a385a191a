import { describe, expect, test } from 'vitest';
import { volumeStatuses } from '@/lib/domains/storage/schema';
import { type VolumeAction, whyNotDeleteSnapshot, whyNotInto, whyNotRestore, whyNotVolume } from './storage-can';

const everyAction: VolumeAction[] = ['attach', 'detach', 'resize', 'snapshot', 'delete'];
const web = { instance_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', instance_name: 'web-1', attached_at: '' };
const attachedIn = new Set(['attaching', 'in_use', 'detaching']);

test('each state of a volume offers what the API allows in it', () => {
  const offered = Object.fromEntries(
    volumeStatuses.map((status) => {
      const volume = { status, attachments: attachedIn.has(status) ? [web] : [], snapshot_count: 0 };
      return [status, everyAction.filter((action) => whyNotVolume(action, volume) === undefined).join(' ')];
    }),
  );
  expect(offered).toEqual({
    creating: 'delete',
    available: 'attach resize snapshot delete',
    attaching: '',
    in_use: 'detach resize snapshot',
    detaching: '',
    resizing: 'delete',
    deleting: '',
    error: 'delete',
  });
});

describe('a reason', () => {
  const volume: Parameters<typeof whyNotVolume>[1] = { status: 'available', attachments: [], snapshot_count: 0 };
  test('names what stands on the volume', () => {
    expect(whyNotVolume('delete', { ...volume, snapshot_count: 2 })).toBe('Delete its 2 snapshots first.');
    expect(whyNotVolume('delete', { ...volume, status: 'in_use', attachments: [web] })).toMatch(/web-1/);
  });
});

test('a snapshot makes volumes once it is available, and can be deleted unless that is under way', () => {
  expect(whyNotRestore({ status: 'available' })).toBeUndefined();
  expect(whyNotRestore({ status: 'creating' })).toMatch(/creating/);
  expect(whyNotDeleteSnapshot({ status: 'error' })).toBeUndefined();
  expect(whyNotDeleteSnapshot({ status: 'deleting' })).toBeDefined();
});

test('an instance takes a volume while it is active or stopped, has nothing else to do and has room', () => {
  const instance = { status: 'active', task: null, volume_ids: [] } as const;
  expect(whyNotInto({ ...instance, volume_ids: [] })).toBeUndefined();
  expect(whyNotInto({ ...instance, status: 'stopped', volume_ids: [] })).toBeUndefined();
  expect(whyNotInto({ ...instance, status: 'paused', volume_ids: [] })).toMatch(/paused/);
  expect(whyNotInto({ ...instance, task: 'stopping', volume_ids: [] })).toMatch(/stopping/);
  expect(whyNotInto({ ...instance, volume_ids: Array.from({ length: 16 }, String) })).toMatch(/the maximum/);
});
