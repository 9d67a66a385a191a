import { expect, test } from 'vitest';
import { timelineOf } from './upgrade-stages';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

test('stages of the past keep their times, the current one counts, planned ones follow', () => {
  const timeline = timelineOf(
    {
      stage: 'replicating',
      transitions: [
        { stage: 'pending', at: at(0) },
        { stage: 'provisioning', at: at(2) },
        { stage: 'replicating', at: at(5) },
      ],
    },
    9000,
  );
  expect(timeline.map(({ stage, state, took_ms }) => [stage, state, took_ms])).toEqual([
    ['pending', 'done', 2000],
    ['provisioning', 'done', 3000],
    ['replicating', 'now', 4000],
    ['switching_over', 'later', null],
    ['verifying', 'later', null],
    ['completed', 'later', null],
  ]);
});

test('a rollback follows the stages that were reached, and plans its own end only', () => {
  const transitions = [
    { stage: 'replicating' as const, at: at(0) },
    { stage: 'rolling_back' as const, at: at(4) },
  ];
  expect(timelineOf({ stage: 'rolling_back', transitions }, 5000).map(({ stage, state }) => [stage, state])).toEqual([
    ['replicating', 'done'],
    ['rolling_back', 'now'],
    ['rolled_back', 'later'],
  ]);
});

test.each(['completed', 'rolled_back', 'failed'] as const)('%s is an end: nothing counts on or follows', (stage) => {
  const [end, ...more] = timelineOf({ stage, transitions: [{ stage, at: at(0) }] }, 5000);
  expect(end).toMatchObject({ state: stage === 'failed' ? 'failed' : 'done', took_ms: null });
  expect(more).toEqual([]);
});
