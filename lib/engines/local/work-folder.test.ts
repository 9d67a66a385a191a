import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeWorkFolder } from './work-folder';

test('what killed processes left of a work goes with the next, and what others still do stays', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'neph-work-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const { pid } = spawnSync('true');
  const living = [`tiny-${process.pid}-abcdef`, 'tiny-image.qcow2', `other-${pid}-abcdef`];
  for (const name of [...living, `tiny-${pid}-abcdef`]) mkdirSync(join(parent, name));
  const made = await makeWorkFolder(parent, 'tiny');
  expect(readdirSync(parent).toSorted()).toEqual([...living, basename(made)].toSorted());
});
