import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { untilSettled } from '../until-settled';
import { Changes } from './changes';

test('a change that ends between two calls is not started again', async () => {
  const changes = new Changes<{ run: number }>();
  let runs = 0;
  const ask = () =>
    changes.ask('volume', 'removed', async (tell) => {
      runs += 1;
      tell({ waits_for: 'Deleting', again_ms: 200 });
      await delay(300);
      return { run: runs };
    });
  expect(await untilSettled(ask)).toMatchObject({ run: 1 });
  expect(runs).toBe(1);
});

test('a failure is thrown to the next call, and the call after that starts anew', async () => {
  const changes = new Changes();
  let runs = 0;
  const ask = () =>
    changes.ask('volume', 'removed', async () => {
      runs += 1;
      if (runs === 1) throw new Error('No room.');
      return {};
    });
  await expect(ask()).rejects.toThrow('No room.');
  expect(await ask()).toMatchObject({ settled: true });
});
