import { readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { EngineError } from '../../error';
import { isSandboxing, ownNamespaces } from '../confinement';
import { run } from '../exec';
import type { Host } from '../host';
import { endProcess, findOutside, findProcesses, startProcess } from '../processes';
import { namesIn } from '../record';
import { Turns, waitFor } from '../turns';
import { edgeNamespace, routerNamespace } from './names';
import { routerOfNetwork } from './router-record';

const FOLDER = '/run/netns';

/** Command prefix for this host's place of namespaces: nothing as root, otherwise our user and mount namespace. */
export async function insideCommand(host: Host): Promise<string[]> {
  if (host.isolation === 'root') return [];
  const keeper = await keeperPid(host);
  if (keeper === undefined)
    throw new EngineError('ENGINE_ERROR', "The engine's namespaces are gone and are being recreated.");
  return ['nsenter', '-t', String(keeper), '--user', '--mount', '--preserve-credentials', '--'];
}

/** Command prefix that runs what follows in a network namespace. */
export async function namespaceCommand(host: Host, name: string): Promise<string[]> {
  return [...(await insideCommand(host)), 'nsenter', `--net=${join(FOLDER, name)}`, '--'];
}

/**
 * Command prefix for a guest: the namespace of its router, so that even a guest that breaks out of QEMU finds nothing
 * but its own tenant's networks. A guest without ports gets a namespace with nothing in it; without root also a user
 * namespace, as any other has, where the host allows one.
 */
export async function guestCommand(host: Host, spec: InstanceSpec): Promise<string[]> {
  const [port] = spec.ports;
  if (!port) {
    if (host.isolation === 'root') return ['unshare', '--net', '--'];
    return (await isSandboxing(host)) ? ownNamespaces : [];
  }
  const routerId = await routerOfNetwork(host, port.networkId);
  if (!routerId) throw new EngineError('NOT_FOUND', `This host has no network ${port.networkId}.`);
  return namespaceCommand(host, routerNamespace(host, routerId));
}

/** Names of this engine's namespaces for networks that exist. */
export const existingNamespaces = (host: Host) =>
  namedNamespaces(host, (name) => name === edgeNamespace(host) || name.startsWith(`${edgeNamespace(host)}-`));

export const namespaceExists = async (host: Host, name: string) =>
  (await namedNamespaces(host, (candidate) => candidate === name)).length > 0;

/** Names of namespaces that exist. A name without its mount is what a crash has left, and counts for nothing. */
export async function namedNamespaces(host: Host, isOurs: (name: string) => boolean): Promise<string[]> {
  const folder = await namespaceFolder(host);
  if (folder === undefined) return [];
  const own = (await namesIn(folder)).filter(isOurs);
  const { dev } = await stat(folder).catch(() => ({ dev: 0 }));
  const mounted = await Promise.all(
    own.map((name) =>
      stat(join(folder, name)).then(
        (found) => found.dev !== dev,
        () => false,
      ),
    ),
  );
  return own.filter((_, index) => mounted[index]);
}

/** Whether a process lives in the network namespace of this name. */
export async function isInNamespace(host: Host, name: string, pid: number): Promise<boolean> {
  const folder = await namespaceFolder(host);
  if (folder === undefined) return false;
  const found = await Promise.all([stat(join(folder, name)), stat(`/proc/${pid}/ns/net`)]).catch(() => null);
  return found !== null && found[0].dev === found[1].dev && found[0].ino === found[1].ino;
}

/** What tells a namespace from any other that has existed since the last boot; null when there is none. */
export async function identityOf(host: Host, name: string): Promise<string | null> {
  const folder = await namespaceFolder(host);
  const found = folder === undefined ? null : await stat(join(folder, name)).catch(() => null);
  return found && `${found.dev} ${found.ino} ${found.ctimeMs}`;
}

async function namespaceFolder(host: Host): Promise<string | undefined> {
  if (host.isolation === 'root') return FOLDER;
  const keeper = await keeperPid(host);
  return keeper === undefined ? undefined : `/proc/${keeper}/root${FOLDER}`;
}

export async function createNamespace(host: Host, name: string): Promise<void> {
  const folder = await namespaceFolder(host);
  if (folder !== undefined) await rm(join(folder, name), { force: true });
  await run([...(await makerCommand(host)), 'ip', 'netns', 'add', name]);
}

export async function removeNamespace(host: Host, name: string): Promise<void> {
  await run([...(await makerCommand(host)), 'ip', 'netns', 'delete', name]);
}

/** `ip netns` returns to the namespace that it came from, so without root that must be one of ours. */
async function makerCommand(host: Host): Promise<string[]> {
  return host.isolation === 'root' ? [] : namespaceCommand(host, edgeNamespace(host));
}

/** Routers and ways out of services share the holder: nobody ends it while another one begins to need it. */
const holders = new Turns();

/** Makes sure of the holder, and keeps it from being released until `work` has ended. */
export function withHolder(host: Host, work: () => Promise<void>): Promise<void> {
  return holders.take(host.tag, async () => {
    await ensureHolder(host);
    await work();
  });
}

/** Without root: ends the holder, for one that does not need it any more, unless a service's way out still does. */
export function releaseHolder(host: Host): Promise<void> {
  return holders.take(host.tag, async () => {
    const processes = findProcesses(host);
    if (host.isolation === 'root' || processes.some(({ role }) => role === 'relay')) return;
    for (const process of processes) if (process.role === 'holder') await endProcess(process, 2_000);
  });
}

/** Without root: makes sure that a process holds our namespaces open, re-entering them where any process still has them. */
export async function ensureHolder(host: Host): Promise<void> {
  if (host.isolation === 'root' || findProcesses(host).some(({ role }) => role === 'holder')) return;
  const survivor = await keeperPid(host);
  const log = join(host.directory, 'logs', 'holder.log');
  startProcess(host, 'holder', 'namespaces', survivor === undefined ? freshHolder(host) : reentry(host, survivor), log);
  // It becomes `sleep` as its last step.
  const isReady = async () => {
    const holder = findProcesses(host).find(({ role }) => role === 'holder');
    return holder && (await readFile(`/proc/${holder.pid}/comm`, 'utf8').catch(() => '')) === 'sleep\n';
  };
  if (await waitFor(isReady, { timeoutMs: 20_000, everyMs: 50 })) return;
  throw new EngineError(
    'ENGINE_UNAVAILABLE',
    'This user cannot create user namespaces. See the message of the network engine.',
  );
}

/** The pid whose own network namespace is the edge; slirp4netns is told it. */
export function holderPid(host: Host): number {
  const holder = findProcesses(host).find(({ role }) => role === 'holder');
  if (holder) return holder.pid;
  throw new EngineError('ENGINE_ERROR', 'The process that holds the namespaces open has ended.');
}

function freshHolder(host: Host): string[] {
  const edge = join(FOLDER, edgeNamespace(host));
  const script = [
    'set -e',
    'mount -t tmpfs -o mode=755 tmpfs /run',
    `mkdir ${FOLDER}`,
    `mount --bind ${FOLDER} ${FOLDER}`,
    `mount --make-shared ${FOLDER}`,
    `touch ${edge}`,
    `mount --bind /proc/self/ns/net ${edge}`,
    'exec sleep infinity',
  ].join('\n');
  return ['unshare', '--user', '--map-root-user', '--mount', '--net', '--propagation', 'private', 'sh', '-c', script];
}

function reentry(host: Host, survivor: number): string[] {
  const edge = join(FOLDER, edgeNamespace(host));
  const enter = ['nsenter', '-t', String(survivor), '--user', '--mount', '--preserve-credentials', '--'];
  return [...enter, 'nsenter', `--net=${edge}`, '--', 'sleep', 'infinity'];
}

/** Any live process of the engine that is inside our namespaces: the holder, or else a daemon or what waits for a guest. */
async function keeperPid(host: Host): Promise<number | undefined> {
  const own = await readlink('/proc/self/ns/user');
  const processes = findOutside(host).sort((a, b) => Number(b.role === 'holder') - Number(a.role === 'holder'));
  for (const { pid } of processes) {
    const theirs = await readlink(`/proc/${pid}/ns/user`).catch(() => own);
    if (theirs === own) continue;
    const names = await namesIn(`/proc/${pid}/root${FOLDER}`);
    if (names.includes(edgeNamespace(host))) return pid;
  }
  return undefined;
}
