import { expect, test } from 'vitest';
import { changedParameters, problemOf, typedValue } from './parameter-values';
import type { Parameter } from './types';

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  engine: 'postgres',
  name,
  type: 'integer',
  unit: 'kB',
  minimum: 64,
  maximum: 1024,
  choices: null,
  default: 100,
  restarts: false,
  description: '',
  ...more,
});

const parameters = [
  parameter('work_mem'),
  parameter('autovacuum', { type: 'boolean', default: true }),
  parameter('shared_buffers', { default: null }),
];

test('only what changed is sent; a default or nothing resets a parameter', () => {
  const set = { work_mem: 200, shared_buffers: 512 };
  const typed = parameters.map((one) => typedValue(one, set));
  expect(typed).toEqual(['200', 'true', '512']);
  expect(changedParameters(parameters, set, typed)).toEqual({});
  expect(changedParameters(parameters, set, ['300', 'false', ''])).toEqual({
    work_mem: 300,
    autovacuum: false,
    shared_buffers: null,
  });
  expect(changedParameters(parameters, set, ['100', 'true', '512'])).toEqual({ work_mem: null });
});

test.each([
  ['63', 'At least 64 kB.'],
  ['1025', 'Up to 1,024 kB.'],
  ['6.5', 'Enter a whole number.'],
  ['many', 'Enter a number.'],
  ['64', undefined],
  ['', undefined],
])('%s is checked against the bounds', (typed, problem) => {
  expect(problemOf(parameter('work_mem'), typed)).toBe(problem);
});
