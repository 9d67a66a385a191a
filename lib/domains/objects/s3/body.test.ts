import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { discardRest, gather, steadily } from './body';

const never = new Promise<never>(() => {});
const gone = new AbortController();

async function read(body: AsyncIterable<Uint8Array>, signal = gone.signal): Promise<number> {
  let size = 0;
  for await (const piece of steadily(body, signal, 40)) size += piece.byteLength;
  return size;
}

test('a body that keeps coming is read to its end', async () => {
  async function* body() {
    for (let piece = 0; piece < 1000; piece += 1) yield Buffer.alloc(100);
  }
  expect(await read(body())).toBe(100_000);
});

test('a writer that stalls is refused, also before its first byte', async () => {
  async function* stalls(pieces: number) {
    for (let piece = 0; piece < pieces; piece += 1) yield Buffer.alloc(100_000);
    await never;
  }
  await expect(read(stalls(0))).rejects.toMatchObject({ code: 'RequestTimeout' });
  await expect(read(stalls(3))).rejects.toMatchObject({ code: 'RequestTimeout' });
});

test('a writer that drips is refused', async () => {
  async function* drips() {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield Buffer.alloc(1);
    }
  }
  await expect(read(drips())).rejects.toMatchObject({ code: 'RequestTimeout' });
});

test('a client that goes away ends its body', async () => {
  const left = new AbortController();
  async function* body() {
    yield Buffer.alloc(1);
    left.abort();
    await never;
  }
  await expect(read(body(), left.signal)).rejects.toMatchObject({ code: 'IncompleteBody' });
});

test('a small body is gathered whole; one that stalls or breaks off is refused', async () => {
  const whole = new PassThrough();
  whole.write('one ');
  whole.end('two');
  expect(Buffer.from(await gather(whole)).toString()).toBe('one two');
  const stalls = new PassThrough();
  stalls.write('one');
  await expect(gather(stalls, 40)).rejects.toMatchObject({ code: 'RequestTimeout' });
  const breaks = new PassThrough();
  const gathered = gather(breaks);
  breaks.destroy();
  await expect(gathered).rejects.toMatchObject({ code: 'IncompleteBody' });
  await expect(gather(breaks)).rejects.toMatchObject({ code: 'IncompleteBody' });
});

test('the rest of a refused body is read to its end, and no longer than its bytes, its time and its pauses allow', async () => {
  const [few, long] = [1000, 3_600_000];
  const ends = new PassThrough();
  const ended = discardRest(ends, { bytes: few, ms: long, idleMs: long });
  ends.write(Buffer.alloc(few));
  ends.end();
  await ended;
  expect(ends.readableEnded).toBe(true);

  const endless = new PassThrough();
  const full = discardRest(endless, { bytes: few, ms: long, idleMs: long });
  endless.write(Buffer.alloc(few + 1));
  await full;

  await discardRest(new PassThrough(), { bytes: few, ms: long, idleMs: 1 });
  const drips = new PassThrough();
  const dripping = setInterval(() => drips.write('x'), 1);
  await discardRest(drips, { bytes: long, ms: 40, idleMs: long });
  clearInterval(dripping);

  const breaks = new PassThrough();
  const broken = discardRest(breaks, { bytes: few, ms: long, idleMs: long });
  breaks.destroy();
  await broken;
  await discardRest(breaks, { bytes: few, ms: long, idleMs: long });
});
