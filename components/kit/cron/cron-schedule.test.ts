import { expect, test } from 'vitest';
import { readCron } from './cron-schedule';

test.each([
  ['0 3 * * *', 'At 03:00'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['  30 8 * * 1-5 ', 'At 08:30, Monday through Friday'],
])('%s reads %s', (expression, words) => expect(readCron(expression)).toEqual({ words }));

test.each(['', '* * * *', '* * * * * *', '61 * * * *', '* 25 * * *', 'every day at noon', '@daily'])(
  '%j is refused with a reason',
  (expression) => {
    const reading = readCron(expression);
    expect('problem' in reading && reading.problem).toMatch(/^\S.*\.$/);
  },
);

test('a value out of range names its field', () => {
  expect(readCron('61 * * * *')).toEqual({ problem: 'Minute must be from 0 to 59.' });
  expect(readCron('0 3 1 13 *')).toEqual({ problem: 'Month must be from 1 to 12.' });
  expect(readCron('*/90 * * * *')).not.toEqual({ problem: 'Minute must be from 0 to 59.' });
});
