import { randomUUID } from 'node:crypto';
import { access, chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
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
  if (await exists(folder)) return folder;
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

/** Removes all of it: it is made anew when it is needed. Only while no instance runs. */
export const sweepUnpacked = (): Promise<void> => rm(unpackedFolder(), { recursive: true, force: true });

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
