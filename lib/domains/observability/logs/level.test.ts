import { expect, test } from 'vitest';
import { levelOf } from './level';

test.each([
  ['time=1 level=warning msg=x', 'warn'],
  ['{"level":"error","msg":"x"}', 'error'],
  ['{"severity": "CRITICAL"}', 'error'],
  ['2026-03-01 12:00:00 UTC [7] FATAL:  the database system is starting up', 'error'],
  ['[WARNING] 060/120000 : config', 'warn'],
  ['level=trace', 'debug'],
  ['LOG:  checkpoint complete', 'info'],
  ['no error here', 'info'],
  ['level=constructor', 'info'],
  ['', 'info'],
])('the level of "%s" is %s', (line, level) => {
  expect(levelOf(line)).toBe(level);
});
