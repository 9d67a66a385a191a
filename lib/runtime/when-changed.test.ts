import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whenChanged } from './when-changed';

const checkout = process.cwd();
let folder: string;
let runs: number;

const step = () =>
  whenChanged({
    name: 'made',
    inputs: ['source', 'missing'],
    output: 'made',
    run: async () => {
      runs++;
      writeFileSync('made', 'made');
    },
  });

beforeEach(() => {
  runs = 0;
  folder = mkdtempSync(join(tmpdir(), 'nephele-step-'));
  process.chdir(folder);
  mkdirSync('source/deep', { recursive: true });
  writeFileSync('source/deep/a.ts', '1');
});

afterEach(() => {
  process.chdir(checkout);
  rmSync(folder, { recursive: true });
});

it('a step runs once, and again when a source changes, moves or appears', async () => {
  await step();
  await step();
  expect(runs).toBe(1);
  for (const change of [
    () => writeFileSync('source/deep/a.ts', '2'),
    () => writeFileSync('source/b.ts', ''),
    () => rmSync('source/b.ts'),
    () => rmSync('made'),
    () => mkdirSync('missing'),
    () => writeFileSync('missing/c', ''),
  ]) {
    change();
    const before = runs;
    await step();
    await step();
    // An empty folder does not affect the result.
    expect(runs - before, change.toString()).toBe(change.toString().includes('mkdir') ? 0 : 1);
  }
});

it('a changed test does not repeat the step', async () => {
  await step();
  writeFileSync('source/deep/a.test.ts', '1');
  await step();
  expect(runs).toBe(1);
});

it('concurrent processes run it once', async () => {
  await Promise.all([step(), step(), step()]);
  expect(runs).toBe(1);
});

it('a failed step is repeated', async () => {
  const failing = { name: 'made', inputs: ['source'], output: 'source', run: () => Promise.reject(new Error('no')) };
  await expect(whenChanged(failing)).rejects.toThrow('no');
  await expect(whenChanged(failing)).rejects.toThrow('no');
});
