import { expect, test } from 'vitest';
import { Gate } from './gate';

/** Work that lasts until released. */
function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
}

test('the limit is never exceeded, and everyone gets a turn', async () => {
  const gate = new Gate(3, 100);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    return true;
  };
  const done = await Promise.all(Array.from({ length: 50 }, () => gate.run(work)));
  expect(done).toHaveLength(50);
  expect(most).toBe(3);
  expect(gate.idle).toBe(true);
});

test('a full queue refuses newcomers, who take nobody’s place', async () => {
  const gate = new Gate(1, 1);
  const first = held();
  const running = gate.run(() => first.until);
  const waiting = gate.run(async () => 'second');
  await expect(gate.run(async () => 'third')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  first.letGo();
  await running;
  expect(await waiting).toBe('second');
  expect(await gate.run(async () => 'fourth')).toBe('fourth');
});

test('failed work passes its place to the next', async () => {
  const gate = new Gate(1, 10);
  const failing = gate.run(() => Promise.reject(new Error('no')));
  const next = gate.run(async () => 'next');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
  expect(gate.idle).toBe(true);
});
