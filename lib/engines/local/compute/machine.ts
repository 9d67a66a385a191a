import { readdirSync } from 'node:fs';
import { chmod, mkdir, open, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { EngineError } from '../../error';
import type { Accelerator } from '../accelerator';
import { isSandboxing, sandboxMountPoint } from '../confinement';
import { giveToGuest, groupsOf, type Host } from '../host';
import { imageFile, requireImage } from '../images/store';
import { guestCommand } from '../network/namespaces';
import { dropPrivileges } from '../privileges';
import { type EngineProcess, endProcess, findProcess, startProcess } from '../processes';
import { runState, withMonitor } from '../qmp';
import { removePath } from '../record';
import type { Limits } from '../sandbox/groups';
import { roomCommand } from '../sandbox/room';
import { beginReach } from '../storage/reach';
import { waitFor } from '../turns';
import { ensureBootDisk } from './boot-disk';
import { consoleLogFile, instanceDirectory, monitorSocket, qemuLogFile, socketDirectory } from './instance-record';
import { qemuCommand } from './qemu-command';
import { writeSeed } from './seed';

const START_MS = 60_000;
const PRESS_AGAIN_MS = 5_000;

/** Memory that QEMU never needs beside its guest's: three times what is reserved for it. Only a broken one meets the limit. */
const MOST_OVERHEAD_MB = 512;
/** Threads of QEMU beside one a vCPU: at most 64 for its files, and a few for screens. */
const MOST_THREADS = 256;
const DEVICES = ['/dev/null', '/dev/urandom', '/dev/net/tun', '/dev/kvm'];

/** Starts a guest's process and resolves when QEMU answers; the guest itself has only begun to boot then. */
export async function startMachine(host: Host, spec: InstanceSpec, accelerator: Accelerator): Promise<EngineProcess> {
  await ensureBootDisk(host, spec);
  await writeSeed(host, spec);
  await prepareSockets(host, spec.id);
  await prepareLogs(host, spec.id);
  const image = await requireImage(host, spec.disk.imageId);
  const disc = image.format === 'ISO' ? imageFile(host, image) : null;
  const place = await placeOf(host, spec, imageFile(host, image));
  const command = [...place, ...qemuCommand(host, spec, accelerator, { disc })];
  const hasEnded = startProcess(host, 'qemu', spec.id, command, qemuLogFile(host, spec.id));
  const machine = await untilAnswering(host, spec.id, hasEnded);
  preferMainThread(host, machine.pid);
  return machine;
}

/** Command prefix that puts a guest's process into its bounds: its cgroups, its network, its view of the host, its user. */
async function placeOf(host: Host, spec: InstanceSpec, image: string): Promise<string[]> {
  const group = await groupsOf(host).command(spec.id, limitsOf(spec));
  const network = await guestCommand(host, spec);
  const isSandboxed = await isSandboxing(host);
  const user = dropPrivileges(host, spec.id, isSandboxed || spec.ports.length > 0);
  if (!isSandboxed) return [...group, ...network, ...user];
  const own = [instanceDirectory(host, spec.id), socketDirectory(host, spec.id)];
  const room = roomCommand({
    mountPoint: sandboxMountPoint(host),
    shares: [
      ...own.map((path) => ({ from: path, at: path, writable: true })),
      ...(await beginReach(host, spec.id, [image])),
    ],
    devices: DEVICES,
  });
  return [...group, ...network, ...room, ...user];
}

const limitsOf = ({ vcpus, ramMb }: InstanceSpec): Limits => ({
  cpuWeight: vcpus,
  memoryBytes: (ramMb + MOST_OVERHEAD_MB) * 1024 ** 2,
  processes: MOST_THREADS + vcpus,
});

/** Switches a guest off by its power button, and by force when it has not obeyed in time. */
export async function stopMachine(
  host: Host,
  machine: EngineProcess,
  graceMs: number,
  signal?: AbortSignal,
): Promise<void> {
  if (graceMs > 0) await pressPowerButton(host, machine, graceMs, signal);
  await endProcess(machine);
  await removePath(socketDirectory(host, machine.id));
}

/**
 * Whether the guest switched itself off within the time; its process stays until someone ends it. The button is pressed
 * again from time to time, because a guest that is still booting does not notice the first time.
 */
export async function pressPowerButton(host: Host, machine: EngineProcess, graceMs: number, signal?: AbortSignal) {
  let nextPress = 0;
  const isOff = () =>
    withMonitor(monitorSocket(host, machine.id), async (monitor) => {
      const state = await runState(monitor);
      if (state === 'shutdown') return true;
      if (state === 'paused') await monitor.execute('cont');
      if (Date.now() >= nextPress) {
        await monitor.execute('system_powerdown');
        nextPress = Date.now() + PRESS_AGAIN_MS;
      }
      return false;
    });
  try {
    return (await waitFor(isOff, { timeoutMs: graceMs, everyMs: 200, signal })) ?? false;
  } catch {
    signal?.throwIfAborted();
    // A machine that does not answer cannot be asked.
    return false;
  }
}

/**
 * The main thread of QEMU makes the guest's timer interrupts. On a busy host it must not stand in line behind the
 * threads that run the guest's code, or the guest's kernel concludes at boot that its timer is broken.
 */
function preferMainThread(host: Host, pid: number): void {
  const others = readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .filter((thread) => thread !== pid);
  try {
    if (host.isolation === 'root') setPriority(pid, -10);
    else for (const thread of others) setPriority(thread, 5);
  } catch {
    // A comfort that some hosts forbid.
  }
}

async function prepareSockets(host: Host, id: string): Promise<void> {
  const directory = socketDirectory(host, id);
  await removePath(directory);
  await mkdir(directory, { mode: 0o700 });
  await giveToGuest(host, directory, id, 0o700);
}

async function prepareLogs(host: Host, id: string): Promise<void> {
  const log = consoleLogFile(host, id);
  await (await open(log, 'a')).close();
  await giveToGuest(host, log, id, 0o600);
  await (await open(qemuLogFile(host, id), 'w')).close();
  await chmod(qemuLogFile(host, id), 0o600);
}

async function untilAnswering(host: Host, id: string, hasEnded: () => boolean): Promise<EngineProcess> {
  const answering = async () => {
    if (hasEnded()) throw await startFailure(host, id);
    return withMonitor(monitorSocket(host, id), runState).then(
      () => findProcess(host, 'qemu', id),
      () => undefined,
    );
  };
  const machine = await waitFor(answering, { timeoutMs: START_MS, everyMs: 50 });
  if (machine) return machine;
  throw await startFailure(host, id);
}

async function startFailure(host: Host, id: string): Promise<EngineError> {
  const words = (await readFile(qemuLogFile(host, id), 'utf8').catch(() => '')).trim().slice(-800);
  return new EngineError('ENGINE_ERROR', `The guest's process did not start: ${words || 'no error message'}`);
}
