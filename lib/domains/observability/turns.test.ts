import { expect, test } from 'vitest';
import { inTurn } from './turns';

test('four queries of a project run at once, sixty wait in their order, and more are told to try again', async () => {
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const query = (index: number) =>
    inTurn('p', async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    });
  const queries = Array.from({ length: 64 }, (_, index) => query(index));
  await expect(query(64)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  // Another project does not wait.
  expect(await inTurn('q', async () => 'done')).toBe('done');
  let ended = false;
  const all = Promise.all(queries).then(() => {
    ended = true;
  });
  while (!ended) {
    ends.shift()?.();
    await Promise.resolve();
  }
  await all;
  expect([most, order]).toEqual([4, Array.from({ length: 64 }, (_, index) => index)]);
});

test('a failed query gives its place to the next one', async () => {
  const fail = () =>
    inTurn('r', async () => {
      throw new Error('broken');
    });
  const failures = await Promise.allSettled(Array.from({ length: 20 }, fail));
  expect(failures.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await inTurn('r', async () => 'done')).toBe('done');
});
