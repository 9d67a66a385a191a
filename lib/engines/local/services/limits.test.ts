import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitNames } from '../../status';
import { SERVICE_LIMITS } from './limits';

test('the guide for operators says how each limit is kept, in the words of the engine', () => {
  const rows = limitNames.map((limit) => {
    const { root, user } = SERVICE_LIMITS[limit];
    return `| ${limit.replaceAll('_', ' ')} | ${root.level} | ${root.how} | ${user.level} | ${user.how} |\n`;
  });
  const table = `| limit | as root | how | without root | how |\n| --- | --- | --- | --- | --- |\n${rows.join('')}`;
  expect(readFileSync('docs/operators.md', 'utf8')).toContain(table);
});
