import { randomUUID } from 'node:crypto';
import { access, chmod, lstat, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '@/lib/settings';
import { unpackArchive } from './archive';
import { codeFile, readCode } from './store';

/** Code as instances see it: a folder each, made from what is stored when it is first needed on this host. */
const unpackedFolder = () => join(settings().dataDir, 'functions', 'unpacked');

export type StoredCode = { code_kind: 'text' | 'archive'; code_sha256: string; file: string };

const nameOf = ({ code_kind, code_sha256, file }: StoredCode) =>
  code_kind === 'text' ? `${code_sha256}-${file}` : code_sha256;

/** @returns the folder, which nothing changes. @throws ApiError for an archive that is refused after all */
export async function ensureUnpacked(code: StoredCode): Promise<string> {
  const folder = join(unpackedFolder(), nameOf(code));
  if (await touched(folder)) return folder;
  const draft = join(unpackedFolder(), `.${randomUUID()}`);
  await mkdir(draft, { recursive: true, mode: 0o755 });
  try {
    if (code.code_kind === 'archive') await unpackArchive(codeFile(code.code_sha256), draft);
    else await writeFile(join(draft, code.file), await readCode(code.code_sha256));
    await openToAll(draft);
    // Another instance of the same code may have been faster.
    await rename(draft, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

/** A pool that ends may still unpack code, and start instances of it, while its successor opens. */
const UNUSED_MS = 60 * 60_000;

/** Removes code that no instance was started with for an hour, and abandoned drafts. It is unpacked again when it is needed. */
export async function sweepUnpacked(unusedMs = UNUSED_MS): Promise<void> {
  const names = await readdir(unpackedFolder()).catch(() => []);
  for (const path of names.map((name) => join(unpackedFolder(), name))) {
    const usedAt = await lstat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (usedAt < Date.now() - unusedMs) await rm(path, { recursive: true, force: true });
  }
}

/** Whether the code is there; its time of use is the folder's. */
async function touched(folder: string): Promise<boolean> {
  const at = new Date();
  return utimes(folder, at, at).then(
    () => true,
    () => false,
  );
}

/** Instances run as users of their own. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else await chmod(path, 0o555);
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
