import { expect, test } from 'vitest';
import { jsonProblem, laidOut, samplePolicy } from './policy-text';

test.each([
  ['{\n  "a": 1\n  "b": 2\n}', 3],
  ['{\n  "a": [1, 2,,]\n}', 2],
  ['{"a": 1', 1],
  ['{"a": 1}\n\n}', 3],
  ["{\n'a': 1}", 2],
  ['{"a": {"b": tru}}', 1],
])('what is no JSON is named with its line: %j', (text, line) => {
  expect(jsonProblem(text)).toBe(`No valid JSON from line ${line}.`);
});

test('JSON and an empty text are no problem, and what is no object is', () => {
  for (const text of ['', ' \n', '{}', samplePolicy('b'), laidOut('{"a":[1,-2.5e3,"x\\"y",null,true,{}]}')])
    expect([text, jsonProblem(text)]).toEqual([text, undefined]);
  expect(jsonProblem('[]')).toContain('is an object');
  expect(laidOut('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(laidOut(null)).toBe('');
});
