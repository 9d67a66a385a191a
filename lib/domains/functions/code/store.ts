import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { settings } from '@/lib/settings';

/** Code of functions, each content once, by its digest (docs/decisions/0105). Only the platform's user may look inside. */
const codeFolder = () => join(settings().dataDir, 'functions');
const fileOf = (sha256: string) => join(codeFolder(), 'code', sha256.slice(0, 2), sha256);
const draftsFolder = () => join(codeFolder(), 'drafts');

/** A new file for bytes that are still arriving. */
export async function newDraft(): Promise<string> {
  await mkdir(draftsFolder(), { recursive: true, mode: 0o700 });
  return join(draftsFolder(), randomUUID());
}

/** Stores a complete draft for good under its digest; the draft is gone then. */
export async function keepDraft(draft: string, sha256: string): Promise<void> {
  const file = fileOf(sha256);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await synced(draft);
  await rename(draft, file);
  await synced(dirname(file));
}

export async function dropDraft(draft: string): Promise<void> {
  await rm(draft, { force: true });
}

/** Stores the text of a function of one file. @returns its digest */
export async function keepText(text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (await isKept(sha256)) return sha256;
  const draft = await newDraft();
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  await keepDraft(draft, sha256);
  return sha256;
}

const isKept = (sha256: string) =>
  access(fileOf(sha256)).then(
    () => true,
    () => false,
  );

/** The file of a content, for reading. */
export const codeFile = fileOf;
export const readCode = (sha256: string) => readFile(fileOf(sha256), 'utf8');

/**
 * Removes contents and drafts that are older than `before` and that nothing names.
 * @param isNamed which of these digests a version has
 */
export async function sweepCode(
  before: Date,
  isNamed: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  for (const name of await namesIn(draftsFolder())) {
    if (await isOlder(join(draftsFolder(), name), before)) await dropDraft(join(draftsFolder(), name));
  }
  const root = join(codeFolder(), 'code');
  for (const shard of await namesIn(root)) {
    const old: string[] = [];
    for (const name of await namesIn(join(root, shard)))
      if (await isOlder(join(root, shard, name), before)) old.push(name);
    const named = await isNamed(old);
    for (const name of old) if (!named.has(name)) await rm(join(root, shard, name), { force: true });
  }
}

const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);
const isOlder = (file: string, before: Date) =>
  stat(file).then(
    ({ mtime }) => mtime < before,
    () => false,
  );

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
