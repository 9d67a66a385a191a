import { expect, test } from 'vitest';
import { answers, corpusSamples, expectAnswer, nameOf, START_S } from '@/lib/testing/promql-corpus';
import { evaluate, type Value } from './evaluate';
import { describeError, parsePromql } from './parse';
import { QueryError } from './syntax';

const never = new AbortController().signal;

const at = (query: string, second = 600) =>
  evaluate(
    parsePromql(query),
    { start: (START_S + second) * 1000, end: (START_S + second) * 1000, step: 1 },
    corpusSamples,
    never,
  );

function shown(value: Value): unknown {
  if (value.type === 'string') return value.value;
  if (value.type === 'scalar') return value.values[0];
  const there = value.series.filter(({ present }) => present[0] === 1);
  return Object.fromEntries(there.map(({ labels, values }) => [nameOf(labels), values[0]]));
}

test('at least 60 answers are worked out by hand', () => expect(answers.length).toBeGreaterThanOrEqual(60));

test.each(answers)('%s', async (query, answer) => expectAnswer(shown(await at(query)), answer));

/** What Prometheus refuses, or this platform does not support. */
const refused: readonly [query: string, position: string, reason: string][] = [
  ['memory{', '1:8', 'unexpected end of input'],
  ['sum(memory', '1:11', 'unexpected end of input'],
  ['memory[5m:1m]', '1:1', 'SubqueryExpr'],
  ['memory @ 5', '1:1', 'StepInvariantExpr'],
  ['label_replace(memory, "a", "$1", "node", "(.*)")', '1:1', 'not supported'],
  ['1 +\n count_values("x", memory)', '2:2', 'not supported'],
  ['rate(memory)', '1:6', 'expected type range vector'],
  ['sum(memory[1m])', '1:5', 'expected type instant vector'],
  ['1 > 2', '1:1', 'BOOL'],
  ['{node=~".*"}', '1:1', 'at least one non-empty matcher'],
  ['memory{node=~"("}', '1:14', 'missing closing )'],
  ['memory{node=~"a(?=b)"}', '1:14', 'invalid'],
  ['memory{node=~"(x{1000}){1000}"}', '1:14', 'invalid repeat count'],
  ['memory and 1', '1:1', 'set operator'],
  ['"abc', '1:1', 'unterminated'],
  ['rate(memory[0s])', '1:13', 'greater than 0'],
  ['sum(memory) offset 1m', '1:1', 'offset'],
  ['a atan2 b', '1:3', 'not supported'],
  [`${'('.repeat(200)}1${')'.repeat(200)}`, '1:102', 'nested too deeply'],
];

test.each(refused)('%s is refused with its position', (query, position, reason) => {
  try {
    parsePromql(query);
  } catch (error) {
    expect(error).toBeInstanceOf(QueryError);
    if (error instanceof QueryError) {
      expect(describeError(query, error)).toMatch(new RegExp(`^${position}: parse error: `));
      expect(error.message).toContain(reason);
    }
    return;
  }
  expect.fail('it was accepted');
});

test.each([
  ['rate({node="a"}[1m])', 'same labelset'],
  ['memory * on (node) requests', 'many-to-many matching not allowed'],
  ['requests / on (node) capacity', 'many-to-one matching must be explicit'],
])('%s has no answer', async (query, reason) => {
  await expect(at(query)).rejects.toThrow(reason);
});

test('a value is stale five minutes after its sample', async () => {
  expect(shown(await at('gone', 540))).toEqual({ 'gone{node=a}': 7 });
  expect(shown(await at('gone', 541))).toEqual({});
});

test('a query that is aborted ends', async () => {
  const steps = { start: START_S * 1000, end: (START_S + 600) * 1000, step: 1000 };
  await expect(evaluate(parsePromql('sum(memory)'), steps, corpusSamples, AbortSignal.abort())).rejects.toThrow(
    'aborted',
  );
});
