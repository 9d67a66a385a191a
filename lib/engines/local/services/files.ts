import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { Host } from '../host';
import { removePath } from '../record';
import { systemFiles } from './bundle';
import { giveToUser } from './user-ids';
import { filesFolder } from './volatile';

type Wanted = { content: string; mode: number; own: boolean; live?: boolean | undefined };

/**
 * Writes a service's files into memory, each whole or not at all, and takes away what it no longer has. Secrets are
 * never anywhere else on this host.
 * @param formerlyLive paths of live files before: they go without a reload
 * @returns whether anything has changed that the service must read again
 */
export async function writeFiles(
  host: Host,
  spec: ServiceSpec,
  { uid, formerlyLive = [] }: { uid: number; formerlyLive?: readonly string[] },
): Promise<boolean> {
  const wasLive = new Set(formerlyLive.map((path) => join('service', path)));
  const folder = filesFolder(host, spec.id);
  const wanted = new Map<string, Wanted>();
  for (const [name, content] of Object.entries(systemFiles(spec, uid))) {
    wanted.set(join('etc', name), { content, mode: 0o444, own: false });
  }
  for (const { path, content, executable, live } of spec.files) {
    wanted.set(join('service', path), { content, mode: executable ? 0o500 : 0o400, own: true, live });
  }
  await mkdir(join(folder, 'etc'), { recursive: true, mode: 0o711 });
  await ownFolder(host, join(folder, 'service'), uid);
  let changed = false;
  for (const [path, file] of wanted) {
    const isNew = await writeOne(host, join(folder, path), file, uid);
    changed ||= isNew && !file.live;
  }
  for (const path of await filesBelow(folder)) {
    if (wanted.has(path)) continue;
    await removePath(join(folder, path));
    changed ||= !wasLive.has(path);
  }
  return changed;
}

async function writeOne(host: Host, target: string, file: Wanted, uid: number): Promise<boolean> {
  const present = await readFile(target, 'utf8').catch(() => null);
  if (present === file.content) return false;
  if (file.own) await ownFolder(host, dirname(target), uid);
  const draft = `${target}.new`;
  // What is bound into a running sandbox is the file itself, so its system files are written in place.
  const inPlace = present !== null && !file.own;
  await rm(draft, { force: true });
  // Its owner may not write it either, unless that is root.
  if (inPlace) await chmod(target, 0o644);
  const handle = await open(inPlace ? target : draft, inPlace ? 'r+' : 'wx', 0o600);
  try {
    await handle.truncate(0);
    await handle.writeFile(file.content);
    await handle.chmod(file.mode);
    if (file.own && host.isolation === 'root') await handle.chown(uid, uid);
  } finally {
    await handle.close();
  }
  if (!inPlace) await rename(draft, target);
  return true;
}

async function ownFolder(host: Host, folder: string, uid: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToUser(host, folder, uid, 0o700);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Takes all files of a service away. */
export const removeFiles = (host: Host, id: string) => removePath(filesFolder(host, id));
