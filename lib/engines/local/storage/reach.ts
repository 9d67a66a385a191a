import { link, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Host, openToGuests } from '../host';
import { namesIn, removePath } from '../record';
import type { Share } from '../sandbox/room';

/**
 * The images and layers that a guest can open. All guests' disks lie in common folders; a guest's sandbox has two folders
 * of its own in their place, under the same paths, with hard links to just the files that its disks stand on. So a volume
 * is plugged into a running guest without touching its mounts, and no other tenant's file has a name in there.
 */
const FOLDERS = ['images', 'layers'] as const;

const reachOf = (host: Host, instanceId: string) => join(host.directory, 'reach', instanceId);

/** Makes the folders of a guest that is about to start, with these files alone in them. */
export async function beginReach(host: Host, instanceId: string, files: readonly string[]): Promise<Share[]> {
  await endReach(host, instanceId);
  const reach = reachOf(host, instanceId);
  for (const folder of [reach, ...FOLDERS.map((name) => join(reach, name))]) {
    await mkdir(folder, { mode: 0o700 });
    await openToGuests(host, folder, 0o710);
  }
  await extendReach(host, instanceId, files);
  return FOLDERS.map((name) => ({
    from: join(reach, name),
    at: join(host.directory, name),
    writable: name === 'layers',
  }));
}

/** Lets a guest open these files too, from now on. */
export async function extendReach(host: Host, instanceId: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    await link(file, placeOf(host, instanceId, file)).catch((error: NodeJS.ErrnoException) => {
      // A guest that runs since before there were sandboxes has no such folders, and sees the real ones.
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
    });
  }
}

/** Takes away what a guest could open beside these files. */
export async function narrowReach(host: Host, instanceId: string, files: readonly string[]): Promise<void> {
  const kept = new Set(files.map((file) => placeOf(host, instanceId, file)));
  for (const folder of FOLDERS.map((name) => join(reachOf(host, instanceId), name))) {
    for (const name of await namesIn(folder)) if (!kept.has(join(folder, name))) await removePath(join(folder, name));
  }
}

/** Removes the folders of a guest that has ended. */
export const endReach = (host: Host, instanceId: string) => removePath(reachOf(host, instanceId));

/** Images and layers lie in folders of their kind, here as there. */
const placeOf = (host: Host, instanceId: string, file: string) =>
  join(reachOf(host, instanceId), basename(dirname(file)), basename(file));
