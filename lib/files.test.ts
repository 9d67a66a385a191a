import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { writeStream } from './files';

const folder = mkdtempSync(join(tmpdir(), 'neph-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Threads that Node opens files with. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

test('a failed write settles only after its file exists, even when all threads are busy', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening a pipe waits for its other end.
  const busy = Array.from({ length: THREADS }, () => open(pipe, 'r'));
  const file = join(folder, 'refused');
  const source = new Readable({ read() {} });
  let hasEnded = false;
  const stored = (async () =>
    pipeline(
      source.on('error', () => {}),
      await writeStream(file),
    ))()
    .catch(() => {})
    .then(() => {
      hasEnded = true;
    });
  source.destroy(new Error('refused'));
  for (let round = 0; round < 100; round += 1) await nextRound();
  expect([hasEnded, existsSync(file)]).toEqual([false, false]);

  writeFileSync(pipe, '');
  for (const handle of await Promise.all(busy)) await handle.close();
  await stored;
  expect(existsSync(file)).toBe(true);
  await rm(file);
  for (let round = 0; round < 100; round += 1) await nextRound();
  expect(existsSync(file)).toBe(false);
});

test('an existing file is kept, unless the flags say otherwise', async () => {
  const file = join(folder, 'kept');
  writeFileSync(file, 'as it was');
  await expect(writeStream(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await pipeline(Readable.from(['new']), await writeStream(file, 'w'));
  expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe('new');
});
