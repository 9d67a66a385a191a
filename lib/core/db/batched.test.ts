import { expect, test } from 'vitest';
import { batched } from './batched';

/** A statement that ends when told to. */
function statement() {
  const runs: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      runs.push({ items, end: (error) => (error ? reject(error) : resolve(items.map((item) => item * 10))) });
    });
  return { runs, run };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a call alone goes at once; those that come meanwhile go together, in groups', async () => {
  const { runs, run } = statement();
  const call = batched(run, 2);
  const first = call(1);
  await settled();
  const others = [call(2), call(3), call(4)];
  await settled();
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  runs[0]?.end();
  expect(await first).toBe(10);
  await settled();
  runs[1]?.end();
  await settled();
  runs[2]?.end();
  expect(await Promise.all(others)).toEqual([20, 30, 40]);
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
});

test('a failure is that of its own batch', async () => {
  const { runs, run } = statement();
  const call = batched(run, 2);
  const calls = [call(1), call(2), call(3)].map((made) => made.catch((error: Error) => error.message));
  await settled();
  runs[0]?.end(new Error('no'));
  await settled();
  runs[1]?.end();
  expect(await Promise.all(calls)).toEqual(['no', 'no', 30]);
});
