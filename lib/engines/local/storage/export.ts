import { existsSync } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { requireDisk } from '../compute/capacity';
import { run } from '../exec';
import { giveToGuest, type Host, prepareHost } from '../host';
import { dropPrivileges } from '../privileges';
import { removePath } from '../record';
import { filesOf } from './chain';
import { findSnapshot, layerFile } from './layers';

/** Copies run as this user, because they read files that guests have written. */
const READER = 'snapshot reader';
const COPY_MS = 60 * 60_000;

export const exportFile = (host: Host, id: string) => join(host.directory, 'exports', `${id}.qcow2`);

/**
 * Copies a snapshot into one QCOW2 file without a backing file. A copy from before a crash is reused, because snapshots
 * never change.
 * @returns the file, which the caller removes
 * @throws EngineError `NOT_FOUND`, `CAPACITY_EXHAUSTED`
 */
export async function exportSnapshot(host: Host, id: string): Promise<string> {
  await prepareHost(host);
  const snapshot = await findSnapshot(host, id);
  if (!snapshot) throw new EngineError('NOT_FOUND', `This host has no snapshot ${id}.`);
  const file = exportFile(host, id);
  if (existsSync(file)) return file;
  const layer = layerFile(host, snapshot.layer);
  const parts = await Promise.all((await filesOf(host, layer)).map((part) => stat(part)));
  await requireDisk(
    host,
    parts.reduce((sum, { blocks }) => sum + blocks * 512, 0),
  );
  const draft = `${file}.new`;
  try {
    await writeFile(draft, '');
    await giveToGuest(host, draft, READER, 0o600);
    // `-U`: a running guest may hold the layers, which nobody writes to.
    const convert = ['qemu-img', 'convert', '-U', '-f', 'qcow2', '-O', 'qcow2', layer, draft];
    await run([...dropPrivileges(host, READER, false), ...convert], { timeoutMs: COPY_MS });
    await rename(draft, file);
  } catch (error) {
    await removePath(draft);
    throw error;
  }
  return file;
}
