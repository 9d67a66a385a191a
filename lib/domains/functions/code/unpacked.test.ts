import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '@/lib/settings';
import { codeFile } from './store';
import { ensureUnpacked, sweepUnpacked } from './unpacked';

const HOUR_MS = 60 * 60_000;

/** Code that is stored, with a name of its own. */
async function stored(text: string) {
  const code_sha256 = createHash('sha256').update(text).digest('hex');
  await mkdir(dirname(codeFile(code_sha256)), { recursive: true });
  await writeFile(codeFile(code_sha256), text);
  return { code_kind: 'text' as const, code_sha256, file: 'main.py' };
}

const age = (path: string, ms: number) => utimes(path, new Date(Date.now() - ms), new Date(Date.now() - ms));

test('opening a pool removes old code and abandoned drafts, and keeps those that another pool uses', async () => {
  const used = await ensureUnpacked(await stored(`used ${await mkdtemp(join(tmpdir(), 'neph-code-'))}`));
  const old = await ensureUnpacked(await stored(`old ${used}`));
  const unpacked = join(settings().dataDir, 'functions', 'unpacked');
  const draft = join(unpacked, '.draft-that-is-written');
  const abandoned = join(unpacked, '.draft-of-a-killed-process');
  for (const path of [draft, abandoned]) await mkdir(path);
  for (const path of [old, abandoned]) await age(path, 2 * HOUR_MS);
  await age(used, 2 * HOUR_MS);
  const again = await stored(await readFile(join(used, 'main.py'), 'utf8'));
  expect(await ensureUnpacked(again)).toBe(used);

  await sweepUnpacked();
  const left = (await readdir(unpacked)).map((name) => join(unpacked, name));
  expect(left).toEqual(expect.arrayContaining([used, draft]));
  expect(left).not.toContain(old);
  expect(left).not.toContain(abandoned);
  // Other tests look into this folder.
  await rm(draft, { recursive: true });
});

test('code is unpacked while pools open', async () => {
  const code = await Promise.all(Array.from({ length: 40 }, (_, n) => stored(`text ${n} ${process.pid}`)));
  const sweeps = code.map(() => sweepUnpacked());
  const folders = await Promise.all(code.map(ensureUnpacked));
  await Promise.all(sweeps);
  for (const [n, folder] of folders.entries())
    expect(await readFile(join(folder, 'main.py'), 'utf8')).toBe(`text ${n} ${process.pid}`);
});
