import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { EngineError } from '../error';
import { programEnvironment } from './exec';
import { guestUsers, type Host, SERVICE_USERS } from './host';
import { waitFor } from './turns';

/** What a process of the engine is for. */
const ROLES = ['qemu', 'dnsmasq', 'slirp', 'holder', 'shim', 'relay', 'service-address', 'entries'] as const;
export type Role = (typeof ROLES)[number];

/** A live process of the engine. Pid and start time (clock ticks since boot) together are never reused. */
export type EngineProcess = { role: Role; id: string; pid: number; startTime: number };

/**
 * Every process that the engine starts carries its role in its environment, from the first instruction to the last.
 * So what runs is read from /proc alone: no pid file that a crash could leave behind or fail to write.
 */
const MARK = 'NEPHELE_ENGINE_PROCESS';

const mark = (host: Host, role: Role, id: string) => `${host.tag}/${role}/${id}`;

/**
 * Starts a process that outlives this one, in a session of its own, with its output in a file.
 * @returns whether it has ended already
 */
export function startProcess(
  host: Host,
  role: Role,
  id: string,
  argv: readonly string[],
  logFile: string,
): () => boolean {
  const [program = '', ...args] = argv;
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      detached: true,
      cwd: '/',
      stdio: ['ignore', log, log],
      env: programEnvironment({ [MARK]: mark(host, role, id) }),
    });
    child.on('error', () => {});
    child.unref();
    return () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  } finally {
    closeSync(log);
  }
}

/**
 * All live processes of this engine, whoever started them. Of a sandboxed one it is the first process inside; what waits
 * for it outside, or helps to furnish its sandbox, carries the same mark and is left out.
 */
export function findProcesses(host: Host): EngineProcess[] {
  const marked = markedProcesses(host);
  const sandboxed = new Set(marked.flatMap(({ role, id, level }) => (level === 'first inside' ? `${role} ${id}` : [])));
  return marked.flatMap(({ level, ...process }) =>
    level === 'first inside' || (level === 'outside' && !sandboxed.has(`${process.role} ${process.id}`)) ? process : [],
  );
}

/** Processes of this engine that are in no sandbox: they hold the namespaces open that they were started in. */
export function findOutside(host: Host): EngineProcess[] {
  return markedProcesses(host).flatMap(({ level, ...process }) => (level === 'outside' ? process : []));
}

/** Where a process is, by its process namespace. */
type Level = 'outside' | 'first inside' | 'inside';

function markedProcesses(host: Host): Marked[] {
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => identify(host, Number(name)) ?? []);
  const outside = new Map(marked.flatMap((found) => (found.level === 'outside' ? [[found.pid, found]] : [])));
  return marked.filter((found) => found.level === 'outside' || isVouchedFor(found, outside.get(found.parent)));
}

/**
 * What runs in a sandbox may write anything into its own environment, but it can't choose who waits for it outside. One
 * that nobody of the engine waits for any more is known by its user alone.
 */
function isVouchedFor(inside: Marked, waiter: Marked | undefined): boolean {
  if (waiter) return waiter.role === inside.role && waiter.id === inside.id;
  return inside.level === 'first inside' && !isService(inside.pid);
}

/** Without root, services are this user by another number, which the kernel tells; guests are not. */
function isService(pid: number): boolean {
  const [first = '0'] = readFileSync(`/proc/${pid}/uid_map`, 'latin1').trim().split(/\s+/);
  return Number(first) >= SERVICE_USERS;
}

type Marked = EngineProcess & Pick<Status, 'level' | 'parent'>;

/** What the kernel tells of a process. */
type Status = { level: Level; parent: number; users: number[] };

function statusOf(pid: number): Status {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  const numbers = (name: string) =>
    (new RegExp(`^${name}:\t(.*)$`, 'm').exec(text)?.[1] ?? '').split('\t').filter(Boolean).map(Number);
  const ids = numbers('NSpid');
  const [parent = 0] = numbers('PPid');
  return { level: levelOf(ids), parent, users: [...new Set(numbers('Uid'))] };
}

/** A process has one id in each namespace from ours down to its own. */
function levelOf(ids: readonly number[]): Level {
  if (ids.length <= ownDepth()) return 'outside';
  return ids.at(-1) === 1 ? 'first inside' : 'inside';
}

let depth: number | undefined;
function ownDepth(): number {
  depth ??= (/^NSpid:\t(.*)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '').split('\t').length;
  return depth;
}

/** Where processes were found last, by their marks: a look at one process instead of all. */
const lastFound = new Map<string, EngineProcess>();

/** The process of one role and id, the oldest when there are several. */
export function findProcess(host: Host, role: Role, id: string): EngineProcess | undefined {
  const key = mark(host, role, id);
  const last = lastFound.get(key);
  if (last && isStillFound(host, last)) return last;
  const found = findProcesses(host)
    .filter((process) => process.role === role && process.id === id)
    .sort((a, b) => a.startTime - b.startTime)[0];
  if (found) lastFound.set(key, found);
  else lastFound.delete(key);
  return found;
}

/** Whether a search of all processes would find this one again. */
function isStillFound(host: Host, last: EngineProcess): boolean {
  const found = identify(host, last.pid);
  if (!found || found.startTime !== last.startTime || found.role !== last.role || found.id !== last.id) return false;
  // One that furnishes a sandbox gives way to the first process inside.
  if (found.level === 'outside') return Date.now() - startedAt(found).getTime() > FURNISHED_MS;
  const waiter = identify(host, found.parent);
  return isVouchedFor(found, waiter?.level === 'outside' ? waiter : undefined);
}

/** A sandbox is furnished long before. */
const FURNISHED_MS = 60_000;

export function isAlive(process: EngineProcess): boolean {
  return isStillRunning(process.pid, process.startTime);
}

/** Whether a process does anything yet: one that has ended and waits for its parent to look does not. */
export const isAtWork = (pid: number): boolean => startTimeOf(pid) !== undefined;

/** Whether a pid still is the process that started then, in clock ticks since boot. */
export function isStillRunning(pid: number, startTime: number): boolean {
  return pid > 0 && startTimeOf(pid) === startTime;
}

/**
 * Ends a process: asks first when it is given time for that, then kills.
 * @throws EngineError when the kernel does not let go of it, as with a stuck disk
 */
export async function endProcess(process: EngineProcess, graceMs = 0): Promise<void> {
  if (graceMs > 0) {
    signal(process, 'SIGTERM');
    if (await waitFor(async () => !isAlive(process), { timeoutMs: graceMs, everyMs: 20 })) return;
  }
  signal(process, 'SIGKILL');
  if (await waitFor(async () => !isAlive(process), { timeoutMs: 15_000, everyMs: 20 })) return;
  throw new EngineError('ENGINE_ERROR', `Process ${process.pid} (${process.role} ${process.id}) cannot be stopped.`);
}

export function signal(target: EngineProcess, name: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, name);
  } catch {
    // It ended in between.
  }
}

/** The arguments of a process; none once it has ended. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Seconds of CPU that a process has used, in all of its threads. */
export function cpuSecondsOf(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / TICKS_PER_SECOND;
}

/**
 * Seconds in which a process's threads ran or stood in line to run: what it asks of the processors, also where others
 * leave it little.
 */
export function demandSecondsOf(pid: number): number {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [ran = '0', waited = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
      return sum + Number(ran) + Number(waited);
    }, 0);
    return nanoseconds / 1e9;
  } catch {
    return cpuSecondsOf(pid);
  }
}

/** When a process started, by the host's clock. */
export function startedAt(process: EngineProcess): Date {
  const [uptime = '0'] = readFileSync('/proc/uptime', 'utf8').split(' ');
  return new Date(Date.now() - (Number(uptime) - process.startTime / TICKS_PER_SECOND) * 1000);
}

/** USER_HZ, which Linux keeps at 100 for user space on every architecture we run on. */
const TICKS_PER_SECOND = 100;

function identify(host: Host, pid: number): Marked | undefined {
  try {
    const value = readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .find((entry) => entry.startsWith(`${MARK}=${host.tag}/`));
    const [, role, id] = value?.split('/') ?? [];
    const startTime = startTimeOf(pid);
    if (id === undefined || startTime === undefined || !isRole(role)) return undefined;
    const { level, parent, users } = statusOf(pid);
    const [user = -1, ...others] = users;
    if (others.length > 0 || !mayRun(host, role, id).includes(user)) return undefined;
    return { role, id, pid, startTime, level, parent };
  } catch {
    return undefined;
  }
}

const isRole = (value: string | undefined): value is Role => ROLES.some((role) => role === value);

/**
 * Anyone may write anything into an environment: it is believed only of the users whom the engine runs such a process as.
 * As root each guest has one of its own.
 */
function mayRun(host: Host, role: Role, id: string): number[] {
  const self = process.getuid?.() ?? 0;
  if (role === 'qemu' && host.isolation === 'root') return [self, guestUsers(host).find(id)];
  return role === 'dnsmasq' && self === 0 ? [self, NOBODY] : [self];
}

const NOBODY = 65534;

function startTimeOf(pid: number): number | undefined {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === 'X') return undefined;
  // A zombie holds its pid until its parent looks, but it does nothing any more once its other threads have ended too.
  return fields[0] === 'Z' && threadsOf(pid) <= 1 ? undefined : Number(fields[19]);
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

/** Fields of /proc/PID/stat after the name, which may itself hold blanks and brackets; the first is the state. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
