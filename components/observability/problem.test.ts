import { expect, test } from 'vitest';
import { problemOf } from './problem';

test.each([
  ['parse error at line 2, col 5: unexpected }', { line: 2, column: 5, message: 'unexpected }' }],
  ['1:8: parse error: unknown function "rat"', { line: 1, column: 8, message: 'unknown function "rat"' }],
  ['The query took longer than 30 s.', undefined],
])('%s', (text, problem) => {
  expect(problemOf(new Error(text))).toEqual(problem);
});
