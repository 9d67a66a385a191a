import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file or folder of the host that a sandboxed process sees, at the path `at`. */
export type Share = { from: string; at: string; writable: boolean };

/** What a sandboxed process sees beside programs and libraries: nothing else of the host is in its root. */
export type Room = {
  /** An empty folder to mount the new root on; nothing that is shared may lie below it. */
  mountPoint: string;
  shares: readonly Share[];
  /** Device files; those that this host lacks are left out. */
  devices: readonly string[];
};

/** Where programs and libraries are; a distribution has some of them, a few as links into /usr. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix', '/gnu'];
const SYSTEM_FILES = ['/etc/ld.so.cache'];

const OLD_ROOT = '.host';

/**
 * Prefix of a command that runs in a mount and a process namespace of its own: it sees no other process, no /proc, and of
 * the host's files only what `room` names. It is process 1 in there; a parent outside waits for it, keeps the namespaces
 * that it was started in, and ends with it. The caller needs the right to mount: as root, or in a user namespace.
 */
export function roomCommand(room: Room): string[] {
  const script = [...rootScript(room), 'exec "$@"'].join('\n');
  // The parent stays in the mount namespace that it came from: only its child enters the new one.
  const namespaces = ['unshare', '--pid', '--fork', '--', 'unshare', '--mount', '--propagation', 'private', '--'];
  return [...namespaces, 'sh', '-c', script, 'sandbox'];
}

function rootScript({ mountPoint, shares, devices }: Room): string[] {
  const root = quoted(mountPoint);
  const inside = (path: string) => quoted(join(mountPoint, path));
  const system = SYSTEM.flatMap((path) => kindOf(path) ?? []);
  const links = system.filter(({ target }) => target !== undefined);
  const folders = system.filter(({ target }) => target === undefined);
  const files = [...SYSTEM_FILES, ...devices].flatMap((path) => (kindOf(path) ? [path] : []));
  const isDevice = new Set(devices);
  const data = shares.flatMap((share) => {
    const kind = kindOf(share.from);
    return kind ? [{ ...share, isFolder: kind.isFolder }] : [];
  });
  const parents = [
    ...folders.map(({ path }) => path),
    ...files.map((path) => dirname(path)),
    ...data.map(({ at, isFolder }) => (isFolder ? at : dirname(at))),
    ...[OLD_ROOT, 'proc'],
  ];
  return [
    'set -e',
    `mount -t tmpfs -o mode=755,size=1m,nosuid,nodev sandbox ${root}`,
    `mkdir -p ${[...new Set(parents)].map(inside).join(' ')}`,
    ...links.map(({ path, target = '' }) => `ln -s ${quoted(target)} ${inside(path)}`),
    // Recursive, because without root a folder with mounts below it can't be bound without them.
    ...folders.map(({ path }) => `mount --rbind -o ro,nosuid,nodev ${quoted(path)} ${inside(path)}`),
    ...files.flatMap((path) => [
      `: > ${inside(path)}`,
      `mount -o ${isDevice.has(path) ? 'bind' : 'bind,ro,nosuid,nodev'} ${quoted(path)} ${inside(path)}`,
    ]),
    ...data.flatMap(({ from, at, writable, isFolder }) => [
      ...(isFolder ? [] : [`: > ${inside(at)}`]),
      `mount -o bind,nosuid,nodev,noexec${writable ? '' : ',ro'} ${quoted(from)} ${inside(at)}`,
    ]),
    `mount -o remount,bind,ro,nosuid,nodev ${root}`,
    // umount looks its targets up in /proc, which goes in the same breath.
    `mount --rbind /proc ${inside('proc')}`,
    `pivot_root ${root} ${inside(OLD_ROOT)}`,
    'cd /',
    `umount -l /${OLD_ROOT} /proc`,
  ];
}

/** What a path is, links not followed; undefined where there is nothing. */
function kindOf(path: string): { path: string; isFolder: boolean; target?: string } | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink()) return { path, isFolder: false, target: readlinkSync(path) };
  return { path, isFolder: found.isDirectory() };
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
