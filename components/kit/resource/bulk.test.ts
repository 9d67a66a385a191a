import { describe, expect, test } from 'vitest';
import type { Action } from '@/components/kit/table/row-actions';
import { type BulkStep, runSteps, type StepState, sharedActions } from './bulk';
import { rangeOf } from './selection';

const nothing = async () => {};
const row = (name: string, actions: readonly Action[]) => ({ id: name, name, actions });
const removal = (disabledReason?: string): Action => ({
  label: 'Delete',
  danger: true,
  disabledReason,
  confirmation: {
    title: '',
    consequence: 'Its data is lost.',
    confirmLabel: 'Delete',
    typeToConfirm: 'x',
    onConfirm: nothing,
  },
});

describe('actions for several rows', () => {
  test('are those that call the API and that all rows have', () => {
    const start: Action = { label: 'Start', run: nothing };
    const opened: Action = { label: 'Resize', onSelect: () => {} };
    const all = sharedActions([row('a', [start, opened, removal()]), row('b', [opened, removal()])]);
    expect(
      all.map(({ label, typed, steps }) => [label, typed, steps.map(({ name, consequence }) => [name, consequence])]),
    ).toEqual([
      [
        'Delete',
        true,
        [
          ['a', 'Its data is lost.'],
          ['b', 'Its data is lost.'],
        ],
      ],
    ]);
    expect(sharedActions([])).toEqual([]);
  });

  test('are disabled with the reason of a row that does not allow them', () => {
    const reasonOf = (...reasons: (string | undefined)[]) =>
      sharedActions(reasons.map((reason, position) => row(`v${position}`, [removal(reason)])))[0]?.disabledReason;
    expect(reasonOf(undefined, undefined)).toBeUndefined();
    expect(reasonOf(undefined, 'In use.')).toBe('v1: In use.');
    expect(reasonOf('In use.', undefined, 'Deleting.')).toBe('v0 (and 1 more): In use.');
    expect(reasonOf('Requires the member role.', 'Requires the member role.')).toBe('Requires the member role.');
  });
});

describe('steps', () => {
  test('run a few at a time, each once', async () => {
    let [running, most] = [0, 0];
    const called: string[] = [];
    const step = (id: string): BulkStep => ({
      id,
      name: id,
      consequence: undefined,
      run: async () => {
        called.push(id);
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
      },
    });
    const ids = Array.from({ length: 20 }, (_, position) => `s${position}`);
    await runSteps(ids.map(step), () => {}, 3);
    expect(most).toBe(3);
    expect(called).toEqual(ids);
  });

  test('that fail stop no other, and tell why', async () => {
    const states = new Map<string, StepState[]>();
    const error = new Error('In use.');
    const step = (id: string, run: () => Promise<unknown>): BulkStep => ({ id, name: id, consequence: undefined, run });
    await runSteps([step('a', () => Promise.reject(error)), step('b', nothing)], (id, state) =>
      states.set(id, [...(states.get(id) ?? []), state]),
    );
    expect(states.get('a')).toEqual([{ at: 'waiting' }, { at: 'running' }, { at: 'failed', error }]);
    expect(states.get('b')).toEqual([{ at: 'waiting' }, { at: 'running' }, { at: 'done' }]);
  });
});

test('a range goes from the row before to this one, in either direction', () => {
  const ids = ['a', 'b', 'c', 'd'];
  expect(rangeOf(ids, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(ids, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(ids, undefined, 'c')).toEqual(['c']);
  expect(rangeOf(ids, 'gone', 'c')).toEqual(['c']);
});
