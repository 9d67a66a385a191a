import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepingFormer } from './former-pages';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-former-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const served = () => join(folder, 'static');
const aside = () => join(folder, 'aside');

/** Builds like Next, which first clears its output. */
const building = (files: Record<string, string>) => async () => {
  rmSync(served(), { recursive: true, force: true });
  mkdirSync(join(served(), 'chunks'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(served(), 'chunks', name), text);
};
const chunk = (name: string) => join(served(), 'chunks', name);

test('a page opened before an upgrade still finds its code, for up to a week', async () => {
  await keepingFormer(served(), aside(), building({ 'menu-1.js': 'one', 'old-1.js': 'old', 'same.js': 'built' }));
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(chunk('old-1.js'), longAgo, longAgo);
  await keepingFormer(served(), aside(), building({ 'menu-2.js': 'two', 'same.js': 'built again' }));
  expect([existsSync(chunk('menu-1.js')), existsSync(chunk('menu-2.js')), existsSync(chunk('old-1.js'))]).toEqual([
    true,
    true,
    false,
  ]);
  expect(readFileSync(chunk('same.js'), 'utf8')).toBe('built again');
  expect(existsSync(aside())).toBe(false);
});

test('an interrupted build loses nothing of the previous one', async () => {
  await keepingFormer(served(), aside(), building({ 'menu-1.js': 'one' }));
  const broken = keepingFormer(served(), aside(), async () => {
    rmSync(served(), { recursive: true });
    throw new Error('broken off');
  });
  await expect(broken).rejects.toThrow('broken off');
  await keepingFormer(served(), aside(), building({ 'menu-2.js': 'two' }));
  expect(existsSync(chunk('menu-1.js'))).toBe(true);
});
