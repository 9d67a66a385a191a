import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObservedInstance } from './engine';
import { decideRepair, type KnownInstance } from './repair';
import { instanceStatuses, type Power, settledStatus } from './transitions';

const known: KnownInstance = { id: 'a', status: 'active', task: null, power: 'running', generation: 1, launched: true };
const machine: ObservedInstance = {
  id: 'a',
  power: 'running',
  fault: null,
  generation: 1,
  volumeIds: [],
  startedAt: new Date(0),
  node: null,
};
const calm = { recoveries: 0, silences: 0 };
const decide = (
  row: Partial<KnownInstance>,
  seen: Partial<ObservedInstance> | undefined,
  history: Partial<typeof calm> = {},
  diskIsFull = false,
) => decideRepair({ ...known, ...row }, seen && { ...machine, ...seen }, { ...calm, ...history }, diskIsFull);

test('nothing is done where both agree', () => {
  for (const power of ['running', 'paused', 'stopped'] as const) {
    expect(decide({ power, status: settledStatus[power] }, { power })).toBeUndefined();
  }
});

test('a machine that does what it should puts its row right, an error as well', () => {
  expect(decide({ status: 'error' }, {})).toEqual({ kind: 'note', status: 'active', reason: null });
  expect(decide({ status: 'active', power: 'paused' }, { power: 'paused' })).toMatchObject({ status: 'paused' });
});

test('what should run after a stop of the platform is started', () => {
  const off = { power: 'stopped', startedAt: null } as const;
  expect(decide({ status: 'stopped' }, off)).toEqual({ kind: 'restore', reason: null });
});

test('what runs and should not is stopped; what has the disk of before a rebuild gets the new one', () => {
  expect(decide({ status: 'stopped', power: 'stopped' }, {})).toMatchObject({ kind: 'restore' });
  expect(decide({ generation: 2 }, {})).toMatchObject({ kind: 'restore' });
});

describe('faults', () => {
  const off = { power: 'stopped', startedAt: null } as const;

  test('a guest that switched itself off stays off', () => {
    expect(decide({}, { ...off, fault: 'guest_shutdown' })).toMatchObject({ status: 'stopped', power: 'stopped' });
  });

  test('a lost machine is brought back, but not for ever', () => {
    expect(decide({}, { ...off, fault: 'crashed' })).toMatchObject({
      kind: 'restore',
      status: 'rebooting',
      lost: true,
    });
    expect(decide({}, { ...off, fault: 'crashed' }, { recoveries: 5 })).toMatchObject({
      kind: 'note',
      status: 'error',
    });
  });

  test('a silent machine is given time before it is started anew', () => {
    expect(decide({}, { fault: 'unresponsive' }, { silences: 5 })).toBeUndefined();
    expect(decide({}, { fault: 'unresponsive' }, { silences: 6 })).toMatchObject({ kind: 'restore', lost: true });
  });

  test('a guest that a full disk has halted is in error, and goes on when there is room', () => {
    expect(decide({}, { fault: 'disk_error', power: 'paused' }, {}, true)).toMatchObject({ status: 'error' });
    expect(decide({ status: 'error' }, { fault: 'disk_error', power: 'paused' }, {}, true)).toBeUndefined();
    expect(decide({ status: 'error' }, { fault: 'disk_error', power: 'paused' })).toMatchObject({ kind: 'restore' });
  });

  test('a failed instance is not started behind its owner’s back', () => {
    expect(decide({ status: 'error' }, { ...off, fault: 'crashed' })).toBeUndefined();
    expect(decide({ status: 'error' }, off)).toBeUndefined();
  });
});

test('a lost disk is never replaced by an empty one in silence', () => {
  expect(decide({}, undefined)).toMatchObject({ kind: 'note', status: 'error' });
  expect(decide({}, { generation: null })).toMatchObject({ kind: 'note', status: 'error' });
});

test('what was being done and lost its operation ends in error, so that its owner can act', () => {
  expect(decide({ task: 'stopping' }, {})).toMatchObject({ kind: 'note', status: 'error' });
});

test('repairs come to an end: a row put right needs none', () => {
  const powers = ['running', 'paused', 'stopped'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...instanceStatuses),
      fc.constantFrom<Power>(...powers),
      fc.boolean(),
      (status, power, full) => {
        const repair = decide({ status, power }, { power }, {}, full);
        if (repair?.kind === 'note')
          expect(decide({ status: repair.status, power }, { power }, {}, full)).toBeUndefined();
        expect(repair?.kind).not.toBe('restore');
      },
    ),
  );
});
