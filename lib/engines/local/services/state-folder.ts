import { lstat, mkdir, rename, stat, statfs, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, reasonOf } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { removePath } from '../record';
import { waitFor } from '../turns';
import { serviceDirectory } from './service-record';
import { giveToUser } from './user-ids';

const MB = 1024 ** 2;

const imageFile = (host: Host, id: string) => join(serviceDirectory(host, id), 'state.img');
const mountPoint = (host: Host, id: string) => join(serviceDirectory(host, id), 'volume');

/** What the service sees as `/state`. Not the root of the file system, which has a folder `lost+found`. */
export const stateFolder = (host: Host, id: string) => join(mountPoint(host, id), 'data');

/** Inside, a service may close parts of its folder to its owner, who is this user; root of a user namespace opens them. */
const ASROOT = ['unshare', '--user', '--map-root-user', '--'];

/** How long an image may be in use after its service has ended. */
const RELEASE_MS = 10_000;

type State = {
  uid: number;
  sizeMb: number;
  /** Stops the service, where its folder can't grow while it is in use. */
  stop: () => Promise<void>;
};

/**
 * Makes a service's state folder of a size that the kernel enforces: a file system of its own in a sparse file. Without
 * root it is a plain folder, which the supervisor watches.
 * @returns why it could not grow; it is there as it was, and the service may run
 * @throws EngineError `INVALID` where it would become smaller
 */
export async function ensureState(host: Host, id: string, { uid, sizeMb, stop }: State): Promise<unknown> {
  await mkdir(mountPoint(host, id), { recursive: true, mode: 0o711 });
  const trouble = host.isolation === 'root' ? await ensureMounted(host, id, sizeMb * MB, stop) : undefined;
  const folder = stateFolder(host, id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToUser(host, folder, uid, 0o700);
  return trouble;
}

async function ensureMounted(host: Host, id: string, bytes: number, stop: () => Promise<void>): Promise<unknown> {
  const image = imageFile(host, id);
  const present = await stat(image).catch(() => null);
  if (present && present.size > bytes) throw new EngineError('INVALID', 'A state folder cannot be shrunk.');
  if (!present) await makeImage(image, bytes);
  else if (present.size < bytes) await truncate(image, bytes);
  if (!(await isMounted(host, id))) await mountImage(host, id);
  if (!present || (await fillsDevice(host, id, bytes)) || (await grewInUse(image))) return undefined;
  await stop();
  try {
    await release(host, id, image);
    // A file system that was not taken down in order is put in order by its journal first; 1 says that something was mended.
    await run(['sh', '-c', 'e2fsck -f -p "$0" || [ $? -eq 1 ]', image], { timeoutMs: 600_000 });
    await run(['resize2fs', image], { timeoutMs: 600_000 });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    if (!(await isMounted(host, id))) await mountImage(host, id);
  }
}

/**
 * Unmounts an image, and waits until the kernel has let it go: a container that starts at this moment has a copy of all mounts until
 * it has its own root. Before that, another mount would be the same file system in its former size.
 */
async function release(host: Host, id: string, image: string): Promise<void> {
  let trouble: string | undefined;
  const isReleased = async () => {
    if (await isMounted(host, id))
      trouble = await run(['umount', mountPoint(host, id)]).then(() => undefined, reasonOf);
    return (await run(['losetup', '--noheadings', '--output', 'NAME', '--associated', image])).trim() === '';
  };
  if (await waitFor(isReleased, { timeoutMs: RELEASE_MS, everyMs: 50 })) return;
  throw new EngineError('ENGINE_ERROR', `The state folder is still in use${trouble ? `: ${trouble}` : ''}.`);
}

async function makeImage(image: string, bytes: number): Promise<void> {
  const draft = `${image}.new`;
  await removePath(draft);
  await run(['truncate', '-s', String(bytes), draft]);
  // No blocks are held back for root, and there are inodes for small files.
  await run(['mkfs.ext4', '-q', '-m', '0', '-i', '8192', '-E', 'lazy_itable_init=1,lazy_journal_init=1', draft]);
  await rename(draft, image);
}

const mountImage = (host: Host, id: string) =>
  run(['mount', '-o', 'loop,nosuid,nodev,noexec', imageFile(host, id), mountPoint(host, id)]);

/** Inodes and the journal take up to a tenth of a file system, and never more. */
async function fillsDevice(host: Host, id: string, bytes: number): Promise<boolean> {
  const { blocks, bsize } = await statfs(mountPoint(host, id));
  const overhead = Math.max(bytes * 0.1, 8 * MB);
  return blocks * bsize >= bytes - overhead;
}

/** @returns false where this host's root may not grow a file system in use (CAP_SYS_RESOURCE) */
async function grewInUse(image: string): Promise<boolean> {
  const found = await run(['losetup', '--noheadings', '--output', 'NAME', '--associated', image]);
  const [device] = found.trim().split('\n');
  if (!device) throw new EngineError('ENGINE_ERROR', 'The state folder is mounted without its device.');
  await run(['losetup', '--set-capacity', device]);
  return run(['resize2fs', device]).then(
    () => true,
    () => false,
  );
}

/** Unmounts the state folder of a service that does not run; its content stays in the file. */
export async function restState(host: Host, id: string): Promise<void> {
  while (await isMounted(host, id)) await run(['umount', mountPoint(host, id)]);
}

/** Takes the state folder away, with all that is in it. */
export async function removeState(host: Host, id: string): Promise<void> {
  await restState(host, id);
  if (host.isolation === 'user') await run([...ASROOT, 'rm', '-rf', '--', mountPoint(host, id)]);
  await removePath(mountPoint(host, id));
  await removePath(imageFile(host, id));
}

async function isMounted(host: Host, id: string): Promise<boolean> {
  const [own, parent] = await Promise.all([
    lstat(mountPoint(host, id)).catch(() => null),
    lstat(serviceDirectory(host, id)).catch(() => null),
  ]);
  return own !== null && parent !== null && own.dev !== parent.dev;
}

/** The block device of a service's state folder; null without root, where it has none. */
export async function stateDevice(host: Host, id: string): Promise<{ major: number; minor: number } | null> {
  if (!(await isMounted(host, id))) return null;
  const { dev } = await stat(mountPoint(host, id), { bigint: true });
  const bits = (from: bigint, count: bigint) => Number((dev >> from) & ((1n << count) - 1n));
  // As glibc's makedev puts them together.
  return { major: bits(8n, 12n) + bits(44n, 20n) * 2 ** 12, minor: bits(0n, 8n) + bits(20n, 24n) * 2 ** 8 };
}

/** Bytes used and in all; null where the service has none. */
export async function stateUsage(
  host: Host,
  id: string,
  state: { sizeMb: number } | null,
): Promise<{ usedBytes: number; totalBytes: number } | null> {
  if (!state) return null;
  if (host.isolation === 'user') {
    const measured = await run([...ASROOT, 'du', '-s', '-B1', '--', stateFolder(host, id)]).catch(() => null);
    if (measured === null) return null;
    return { usedBytes: Number.parseInt(measured, 10), totalBytes: state.sizeMb * MB };
  }
  if (!(await isMounted(host, id))) return null;
  const { blocks, bfree, bsize } = await statfs(mountPoint(host, id));
  return { usedBytes: (blocks - bfree) * bsize, totalBytes: blocks * bsize };
}
