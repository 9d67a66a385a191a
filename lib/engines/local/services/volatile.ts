import { chmod, lstat, mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { Turns } from '../turns';

const turns = new Turns();

/** Every user may make files in memory here, and the holder of the namespaces does not hide them. */
export const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;

/**
 * A folder in memory for what must not outlive a reboot: the sandboxes' records and all files of services, secrets among
 * them.
 */
export const volatileFolder = (host: Host) =>
  host.isolation === 'root' ? `/run/nephele-${host.tag}` : `${SHARED_MEMORY}/nephele-${process.getuid?.()}-${host.tag}`;

/** Where the container runtime keeps its records. */
export const runtimeFolder = (host: Host) => join(volatileFolder(host), 'runc');

/** The files of one service; `/etc/service` inside. */
export const filesFolder = (host: Host, id: string) => join(allFilesFolder(host), id);
export const allFilesFolder = (host: Host) => join(volatileFolder(host), 'files');

/**
 * Makes the folder: a tmpfs of its own, whatever /run is here.
 * @throws EngineError when someone else owns it
 */
export function prepareVolatile(host: Host): Promise<void> {
  const folder = volatileFolder(host);
  return turns.take(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (host.isolation === 'root') await ensureMemory(folder);
    const { uid } = await lstat(folder);
    if (uid !== process.getuid?.()) {
      throw new EngineError('ENGINE_ERROR', `${folder} belongs to another user. Remove it and start again.`);
    }
    // Services pass through to the files they are given, and list nothing.
    await chmod(folder, host.isolation === 'root' ? 0o711 : 0o700);
    await mkdir(allFilesFolder(host), { recursive: true, mode: 0o711 });
    await mkdir(runtimeFolder(host), { recursive: true, mode: 0o700 });
  });
}

async function ensureMemory(folder: string): Promise<void> {
  const [own, parent] = await Promise.all([stat(folder), stat(dirname(folder))]);
  if (own.dev !== parent.dev) return;
  await run(['mount', '-t', 'tmpfs', '-o', 'mode=711,nosuid,nodev,noexec,size=256m', 'tmpfs', folder]);
}

/** Whether an ordinary user has a place for files in memory. */
export async function hasSharedMemory(): Promise<boolean> {
  return statfs(SHARED_MEMORY).then(
    ({ type }) => type === TMPFS,
    () => false,
  );
}

/** Takes the folder away once nothing runs. */
export async function removeVolatile(host: Host): Promise<void> {
  const folder = volatileFolder(host);
  if (host.isolation === 'root') await run(['umount', folder]).catch(() => {});
  await run(['rm', '-rf', folder]).catch(() => {});
}
