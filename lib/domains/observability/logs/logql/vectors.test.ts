import { expect, test } from 'vitest';
import type { MetricExpr } from './ast';
import { parseQuery } from './parse';
import { overSteps, windowFunction } from './ranges';
import { aggregate, operate, replaceLabel, type Series, type Turn, type Value } from './vectors';

const SERIES = 300;
const STEPS = 40;
const series = Array.from(
  { length: SERIES },
  (_, index): Series => ({ labels: { id: String(index) }, values: Array.from({ length: STEPS }, () => index) }),
);
const many: Value = { kind: 'series', series };
const number: Value = { kind: 'scalar', values: Array.from({ length: STEPS }, () => 1) };

function exprOf<Kind extends MetricExpr['kind']>(text: string, kind: Kind): Extract<MetricExpr, { kind: Kind }> {
  const expr = parseQuery(text);
  const isWanted = (one: typeof expr): one is Extract<MetricExpr, { kind: Kind }> => one.kind === kind;
  if (!isWanted(expr)) throw new Error(`${text} is not of the kind ${kind}`);
  return expr;
}

const COUNT = 'count_over_time({a="b"}[1h])';
const aggregated = (text: string) => (turn: Turn) => aggregate(exprOf(text, 'vector'), series, STEPS, turn);
const operated = (text: string, right: Value) => (turn: Turn) => operate(exprOf(text, 'binary'), many, right, turn);

test.each<[string, number, (turn: Turn) => Promise<unknown>]>([
  ['sum', SERIES, aggregated(`sum(${COUNT})`)],
  ['sum by', STEPS, aggregated(`sum by (id) (${COUNT})`)],
  ['topk', SERIES, aggregated(`topk(3, ${COUNT})`)],
  ['an operation with a number', STEPS, operated(`${COUNT} + 1`, number)],
  ['an operation on pairs', STEPS, operated(`${COUNT} / ${COUNT}`, many)],
  ['and', STEPS, operated(`${COUNT} and on () ${COUNT}`, many)],
  ['or', STEPS, operated(`${COUNT} or ${COUNT}`, many)],
  [
    'label_replace',
    STEPS,
    (turn) => replaceLabel(exprOf(`label_replace(${COUNT}, "x", "$1", "id", "(.*)")`, 'label_replace'), series, turn),
  ],
])('%s counts its work in small parts', async (_, most, run) => {
  const parts: number[] = [];
  await run((work) => {
    parts.push(work);
    return undefined;
  });
  expect(Math.max(...parts)).toBeLessThanOrEqual(Math.max(most, 50));
  expect(parts.reduce((sum, work) => sum + work, 0)).toBeGreaterThanOrEqual(SERIES * STEPS);
});

test('windows that overlap count each value that they read', async () => {
  const expr = exprOf(COUNT, 'range');
  const times = Array.from({ length: 100 }, (_, index) => index * 1e6);
  let counted = 0;
  const values = await overSteps({ times, values: times }, times, expr, windowFunction(expr), (work) => {
    counted += work;
    return undefined;
  });
  expect(values.at(-1)).toBe(100);
  expect(counted).toBe((100 * 101) / 2 + 100);
});

test('a turn that throws ends an operation', async () => {
  const end = () => {
    throw new Error('over');
  };
  await expect(aggregate(exprOf(`sum(${COUNT})`, 'vector'), series, STEPS, end)).rejects.toThrow('over');
});
