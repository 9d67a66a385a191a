import { access, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { EngineError } from '../error';
import { Turns } from './turns';

/**
 * The file of one record. Ids become paths here and nowhere else, so here they are looked at.
 * @throws EngineError `INVALID` for what could lead out of the folder
 */
export function recordFile(directory: string, id: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new EngineError('INVALID', `"${id}" is not a valid id.`);
  return join(directory, `${id}.json`);
}

/** Whether anything is there under this path. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** @throws EngineError `INVALID` that names the field of what was handed in */
export function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EngineError('INVALID', `${issue?.path.join('.')}: ${issue?.message}`);
}

/** What a process of ours said; undefined when it is no JSON, which its schema then refuses. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a JSON file of the engine; null when it is missing or not what it should be. */
export async function readRecord<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const changes = new Turns();

/**
 * Writes a JSON file so that a crash leaves the old one or the new one, never half of it; what it leaves besides, the
 * next write or the removal takes away.
 */
export function writeRecord(file: string, value: unknown): Promise<void> {
  return changes.take(file, () => write(file, value));
}

/**
 * Changes a record, if there is one, with nobody in between.
 * @returns what it is now
 */
export function changeRecord<T>(file: string, schema: z.ZodType<T>, change: (record: T) => T): Promise<T | null> {
  return changes.take(file, async () => {
    const record = await readRecord(file, schema);
    if (record === null) return null;
    const changed = change(record);
    await write(file, changed);
    return changed;
  });
}

/** Deletes a record and what a crash left of its writing; no error when it is gone. */
export function removeRecord(file: string): Promise<void> {
  return changes.take(file, async () => {
    await removePath(draftOf(file));
    await removePath(file);
  });
}

const draftOf = (file: string) => `${file}.new`;

async function write(file: string, value: unknown): Promise<void> {
  const draft = draftOf(file);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(value, null, 1));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** All records of a folder by their id, which is their file's name. */
export async function readRecords<T>(directory: string, schema: z.ZodType<T>): Promise<Map<string, T>> {
  const records = new Map<string, T>();
  for (const name of await namesIn(directory)) {
    if (!name.endsWith('.json')) continue;
    const record = await readRecord(join(directory, name), schema);
    if (record) records.set(name.slice(0, -'.json'.length), record);
  }
  return records;
}

/** Names in a folder; none when there is no such folder. */
export async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Deletes a file or folder; no error when it is gone. */
export async function removePath(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
