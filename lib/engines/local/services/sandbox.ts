import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { ownMounts, ownNamespaces, sandboxMountPoint } from '../confinement';
import { run } from '../exec';
import type { Host } from '../host';
import { insideCommand } from '../network/namespaces';
import {
  argumentsOf,
  type EngineProcess,
  endProcess,
  findProcess,
  isAlive,
  isAtWork,
  isStillRunning,
  signal,
  startProcess,
} from '../processes';
import { PYTHON } from '../programs';
import { exists, parseJson } from '../record';
import { waitFor } from '../turns';
import { hasNetwork } from './bundle';
import { serviceDirectory, servicesDirectory } from './service-record';
import { allFilesFolder, runtimeFolder } from './volatile';

// Not `new URL('./shim.py', import.meta.url)`: the bundler of the pages would look for a module of that name.
const HERE = dirname(fileURLToPath(import.meta.url));
const SHIM = join(HERE, 'shim.py');
const BOX = join(HERE, 'box.py');

const sandbox = z.object({ id: z.string(), pid: z.int(), status: z.string() });
const sandboxes = z.array(sandbox).nullable();

/** A sandbox that the runtime knows; `pid` is its init as the host sees it. */
export type Sandbox = { id: string; pid: number; isRunning: boolean };

/**
 * The container runtime, `runc` as root and bubblewrap otherwise. What either knows is in memory: after a reboot it knows
 * nothing, as is true.
 */
export const runtimeCommand = (host: Host) =>
  host.isolation === 'root'
    ? ['runc', '--root', runtimeFolder(host)]
    : [PYTHON, '-I', '-S', BOX, allFilesFolder(host), servicesDirectory(host), sandboxMountPoint(host)];

/** Prefix of the command that makes a sandbox: the right to mount, and the place where its network is. */
export async function runtimeEntry(host: Host, spec: ServiceSpec): Promise<string[]> {
  if (host.isolation === 'root') return [];
  if (spec.front) return ownMounts;
  return hasNetwork(spec) ? insideCommand(host) : ownNamespaces;
}

/** All sandboxes of this engine. The runtime tells them by pid and start time; nothing inside one can pose as another. */
export async function listSandboxes(host: Host): Promise<Sandbox[]> {
  if (host.isolation === 'root') {
    const ids = await readdir(runtimeFolder(host)).catch(() => []);
    const found = await Promise.all(ids.map((id) => recordedSandbox(host, id)));
    return found.filter((sandbox) => sandbox !== undefined);
  }
  const output = await run([...runtimeCommand(host), 'list', '--format', 'json']);
  return (sandboxes.parse(parseJson(output)) ?? []).map(asSandbox);
}

export async function findSandbox(host: Host, id: string): Promise<Sandbox | undefined> {
  if (host.isolation === 'root') return recordedSandbox(host, id);
  const output = await run([...runtimeCommand(host), 'state', id]).catch(() => '');
  const found = sandbox.safeParse(parseJson(output)).data;
  return found && asSandbox(found);
}

const asSandbox = ({ id, pid, status }: z.output<typeof sandbox>): Sandbox => ({
  id,
  pid,
  isRunning: status === 'running' || status === 'paused',
});

/** What `runc` keeps of a container: of its first process, the pid and the start time in clock ticks since boot. */
const record = z.object({ init_process_pid: z.int(), init_process_start: z.int() });

/**
 * What `runc state` would say, read where `runc` reads it. Starting a program holds the worker up until the program runs,
 * for longer the busier the host is, and every look at a service needs this.
 */
async function recordedSandbox(host: Host, id: string): Promise<Sandbox | undefined> {
  const folder = join(runtimeFolder(host), id);
  const kept = record.safeParse(parseJson(await readFile(join(folder, 'state.json'), 'utf8').catch(() => ''))).data;
  if (!kept) return undefined;
  const pid = kept.init_process_pid;
  if (!isStillRunning(pid, kept.init_process_start)) return { id, pid, isRunning: false };
  // This lies there from the making of a container until its program starts. Where it was taken away, that never will.
  const isWaiting = (await exists(join(folder, 'exec.fifo'))) || argumentsOf(pid).join(' ') === 'runc init';
  return { id, pid, isRunning: !isWaiting };
}

export const supervisorOf = (host: Host, id: string) => findProcess(host, 'shim', id);

/** Starts the supervisor of a service; it takes over a sandbox that an earlier one left running. */
export function startSupervisor(host: Host, id: string): void {
  const directory = serviceDirectory(host, id);
  startProcess(host, 'shim', id, [PYTHON, '-I', '-S', SHIM, directory], join(directory, 'shim.log'));
}

/** Stops a service and its supervisor: asks the program first, then kills it. */
export async function stopService(host: Host, id: string, graceMs: number): Promise<void> {
  const supervisor = supervisorOf(host, id);
  if (supervisor) {
    signal(supervisor, 'SIGTERM');
    const ended = await waitFor(async () => !isAlive(supervisor), { timeoutMs: graceMs + 10_000, everyMs: 20 });
    if (!ended) await endSupervisor(supervisor);
  }
  await killSandbox(host, id);
}

/** Ends a service at once: first its supervisor, which would start it again. Nothing of it starts after that. */
export async function endService(host: Host, id: string): Promise<void> {
  const supervisor = supervisorOf(host, id);
  if (supervisor) await endSupervisor(supervisor);
  await killSandbox(host, id);
}

/**
 * Ends a supervisor. A runtime that is making its sandbox would go on without it, and make it after the service has been ended: that
 * ends first. What runs in the sandbox already is ended with it, by the runtime.
 * @throws EngineError when the kernel does not let go of a process
 */
async function endSupervisor(supervisor: EngineProcess): Promise<void> {
  // From here on it begins nothing more.
  signal(supervisor, 'SIGSTOP');
  const areMakersGone = async () => {
    const makers = childrenOf(supervisor.pid).filter((pid) => isAtWork(pid) && isMaker(pid));
    for (const pid of makers.flatMap(processesOf)) kill(pid);
    return makers.length === 0;
  };
  const areGone = await waitFor(areMakersGone, { timeoutMs: 15_000, everyMs: 5 });
  await endProcess(supervisor);
  if (!areGone) throw new EngineError('ENGINE_ERROR', `What supervisor ${supervisor.pid} has begun cannot be stopped.`);
}

/** Whether a child of a supervisor makes the sandbox, or is about to become what does. */
function isMaker(pid: number): boolean {
  const args = argumentsOf(pid);
  return args.includes('--detach') || args.includes(SHIM);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}

/** Ends whatever the runtime knows by this id, and its group. */
export async function killSandbox(host: Host, id: string): Promise<void> {
  if (await findSandbox(host, id)) await run([...runtimeCommand(host), 'delete', '--force', id]);
  await rm(join(runtimeFolder(host), id), { recursive: true, force: true });
}

/** Every process of a sandbox, its init first. */
export function processesOf(pid: number): number[] {
  const found: number[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    found.push(next);
    pending.push(...childrenOf(next));
  }
  return found;
}

/** Memory that processes hold of their own. */
export async function residentBytes(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')));
  const kilobytes = texts.flatMap((text) =>
    [...text.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)].map(([, value]) => Number(value)),
  );
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) => childrenOfTask(pid, task));
  } catch {
    return [];
  }
}

function childrenOfTask(pid: number, task: string): number[] {
  const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
