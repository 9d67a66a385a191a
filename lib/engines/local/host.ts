import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EngineError } from '../error';
import { Groups } from './sandbox/groups';
import { UserIds } from './user-ids';

/** First of 16 million user ids for guests' processes; distributions and container runtimes stay below. */
export const GUEST_USERS = 0x70000000;

/** First of as many for services, below those of guests. Without root they are this user's, by these numbers inside. */
export const SERVICE_USERS = 0x6f000000;

/** The group of all guests' processes: it may read what several of them stand on, and write nothing. */
export const GUEST_GROUP = GUEST_USERS;

/** What an operator may choose about the local engine. */
export type LocalEngineOptions = {
  /** Absolute; the engine keeps to `<dataDir>/engine`. */
  dataDir: string;
  /** `root` uses the kernel's own networking, `user` a user namespace with slirp4netns. By default: what this process is. */
  isolation?: Isolation;
  /** Range of floating IPs, at least a /29. With root it must be routed to this host or used from it alone. */
  floatingIpCidr?: string;
  /** Private ranges of the outside that guests may reach all the same. */
  openPrivateCidrs?: string[];
  /** Where downloaded packages and built images are kept for the next time; inside the data folder when absent. */
  cacheDir?: string;
  /** Folder or base URL where programs of services are fetched from, in place of the package registries. */
  programMirror?: string;
  /** Free disk that guests never get; 2 GiB when absent. */
  diskFloorBytes?: number;
};

export type Isolation = 'root' | 'user';

/** This host as the engine sees it: where its files are, and by which name its processes and namespaces are known. */
export type Host = Required<Omit<LocalEngineOptions, 'floatingIpCidr' | 'programMirror'>> & {
  floatingIpCidr: string | null;
  programMirror: string | null;
  /** Short name of this engine, so that several on one host stay apart. */
  tag: string;
  directory: string;
  /** Holds one folder of Unix sockets an instance. */
  sockets: string;
};

/** Unix socket paths end at 107 bytes; the longest name below a socket folder is `/0123456789abcdef/serial.sock`. */
const LONGEST_SOCKET_FOLDER = 107 - '/0123456789abcdef/serial.sock'.length;

/** Where everything is; touches nothing. */
export function describeHost(options: LocalEngineOptions): Host {
  const dataDir = resolve(options.dataDir);
  const directory = join(dataDir, 'engine');
  const tag = shortHash(dataDir, 8);
  const isolation = options.isolation ?? (process.getuid?.() === 0 ? 'root' : 'user');
  return {
    dataDir,
    isolation,
    directory,
    tag,
    sockets: socketFolder(join(directory, 'run'), tag),
    floatingIpCidr: options.floatingIpCidr ?? null,
    openPrivateCidrs: options.openPrivateCidrs ?? [],
    programMirror: options.programMirror ?? null,
    cacheDir: options.cacheDir ?? join(directory, 'cache'),
    diskFloorBytes: options.diskFloorBytes ?? 2 * 1024 ** 3,
  };
}

/** The sockets of functions: there while their pool runs. */
export const functionSockets = (host: Pick<Host, 'sockets'>): string => join(host.sockets, 'fn');

/** A folder under /run would be hidden by the namespace's own /run. */
function socketFolder(preferred: string, tag: string): string {
  const usable = Buffer.byteLength(preferred) <= LONGEST_SOCKET_FOLDER && !/^(\/var)?\/run(\/|$)/.test(preferred);
  return usable ? preferred : join(tmpdir(), `nephele-${process.getuid?.() ?? 0}-${tag}`);
}

/**
 * Makes the engine's folders. Guests' processes may pass through to the files they are given, and list nothing.
 * @throws EngineError when someone else owns the folder of the sockets
 */
export async function prepareHost(host: Host): Promise<void> {
  await mkdir(host.directory, { recursive: true });
  if (host.isolation === 'root') {
    for (const passage of [host.dataDir, host.directory]) await chmod(passage, (await stat(passage)).mode | 0o011);
  }
  const folders = ['instances', 'volumes', 'layers', 'snapshots', 'images', 'uploads', 'exports', 'reach'];
  const shared = folders.map((name) => join(host.directory, name));
  for (const directory of [...shared, host.sockets]) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const found = await lstat(directory);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) {
      throw new EngineError('ENGINE_ERROR', `${directory} belongs to another user. Remove it and start again.`);
    }
    await openToGuests(host, directory, 0o710);
  }
  for (const name of ['logs', 'boots', 'reboots', 'sandbox', 'services']) {
    await mkdir(join(host.directory, name), { recursive: true, mode: 0o700 });
  }
  // dnsmasq has given up root by the time it reads its leases again.
  await mkdir(join(host.directory, 'network'), { recursive: true, mode: 0o711 });
  for (const name of ['routers', 'networks']) {
    await mkdir(join(host.directory, 'network', name), { recursive: true, mode: 0o700 });
  }
  await mkdir(host.cacheDir, { recursive: true });
}

/** Lets the guests' group use a file or folder of the engine; without root they are this user anyway. */
export async function openToGuests(host: Host, path: string, mode: number): Promise<void> {
  if (host.isolation === 'root') await chown(path, 0, GUEST_GROUP);
  await chmod(path, mode);
}

/** Hands a file or folder over to one guest's process. */
export async function giveToGuest(host: Host, path: string, instanceId: string, mode: number): Promise<void> {
  const user = guestUser(host, instanceId);
  if (user !== null) await chown(path, user, GUEST_GROUP);
  await chmod(path, mode);
}

/** The cgroups of this engine's guests; only root makes them. */
export const groupsOf = (host: Host) => new Groups(host.isolation === 'root' ? `nephele-${host.tag}` : null);

/** The first hex digits of a name's hash: short enough for interface names, socket folders and namespaces. */
export function shortHash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/**
 * The user that runs a guest's process when the engine is root: one allotted to each guest alone, from a range that no
 * account uses, so that a guest that breaks out of QEMU can't touch another's files. null without root.
 */
export function guestUser(host: Host, instanceId: string): number | null {
  return host.isolation === 'root' ? guestUsers(host).allot(instanceId) : null;
}

/** Guests of earlier releases run as the user whom the hash of their id named, so that one is tried first. */
export const guestUsers = (host: Host) =>
  new UserIds(join(host.directory, 'guest-users.json'), GUEST_USERS, (id) => Number.parseInt(shortHash(id, 6), 16));
