import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { changeRecord, readRecord, removeRecord, writeRecord } from './record';

const numbers = z.object({ numbers: z.array(z.number()) });
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'neph-record-'));
  file = join(folder, 'one.json');
});
afterEach(() => rm(folder, { recursive: true }));

it('changes that come at once are all made', async () => {
  await writeRecord(file, { numbers: [] });
  const all = Array.from({ length: 50 }, (_, n) => n);
  const add = (n: number) => changeRecord(file, numbers, (record) => ({ numbers: [...record.numbers, n] }));
  await Promise.all(all.map(add));
  expect((await readRecord(file, numbers))?.numbers.toSorted((a, b) => a - b)).toEqual(all);
});

it('a change of what is removed brings nothing back', async () => {
  await writeRecord(file, { numbers: [] });
  const removed = removeRecord(file);
  expect(await changeRecord(file, numbers, (record) => record)).toBeNull();
  await removed;
  expect(await readdir(folder)).toEqual([]);
});

it('what a crash left half written is taken away by the next write, or by the removal', async () => {
  await writeFile(`${file}.new`, '{"numb');
  await writeRecord(file, { numbers: [1] });
  expect(await readdir(folder)).toEqual(['one.json']);
  await writeFile(`${file}.new`, '{"numb');
  await removeRecord(file);
  expect(await readdir(folder)).toEqual([]);
});
