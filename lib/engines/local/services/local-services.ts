import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type {
  CommandResult,
  LogPage,
  ObservedService,
  ServiceEngine,
  ServicePort,
  ServiceSpec,
  ServiceStats,
  Settlement,
} from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { readLastLines } from '../../last-lines';
import { PROGRAMS } from '../catalogue/catalogue';
import type { Program } from '../catalogue/program';
import { ensureProgram, programRoot } from '../catalogue/store';
import { programEnvironment } from '../exec';
import { type Host, prepareHost } from '../host';
import { isInNamespace } from '../network/namespaces';
import { cpuSecondsOf } from '../processes';
import { missingPrograms } from '../programs';
import { changeRecord, checked, exists, parseJson, readRecord, removePath, removeRecord, writeRecord } from '../record';
import { Turns } from '../turns';
import { hasNetwork, ociConfig, SERVICES_WEIGHT, serviceGroups, shimSpec } from './bundle';
import { changeAddresses, ensureCable, INTERFACE, removeCable } from './cable';
import { removeFiles, writeFiles } from './files';
import { answers } from './health';
import { serviceTrouble } from './limits';
import { readLogPage } from './log-reader';
import { ensureRelay, releaseNamespaces, removeRelay, stopRelay } from './relay';
import {
  endService,
  findSandbox,
  listSandboxes,
  processesOf,
  residentBytes,
  runtimeCommand,
  runtimeEntry,
  startSupervisor,
  stopService,
  supervisorOf,
} from './sandbox';
import {
  allServices,
  egressSocket,
  entriesFolder,
  findService,
  serviceDirectory,
  serviceFile,
  serviceNamespace,
  serviceSockets,
  serviceSpec,
} from './service-record';
import { ensureState, removeState, restState, stateDevice, stateFolder, stateUsage } from './state-folder';
import { giveToUser, serviceUsers } from './user-ids';
import { prepareVolatile, runtimeFolder } from './volatile';

/** Debian's `tini`, linked statically: it needs nothing of a sandbox. */
const INIT_PROGRAM = '/usr/bin/tini-static';
const DEFAULT_STOP_SECONDS = 10;
const stopMs = ({ stopSeconds = DEFAULT_STOP_SECONDS }: ServiceSpec) => stopSeconds * 1000;
const AGAIN_MS = 100;
const HELD_AGAIN_MS = 5_000;

const exit = z.object({
  at_ms: z.number(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
  out_of_memory: z.boolean(),
});
const status = z.object({
  starts: z.int(),
  started_at_ms: z.number().nullable(),
  pid: z.int().nullable(),
  last_exit: exit.nullable(),
  /** Not started, because its state folder is over its size. */
  held: z.boolean().default(false),
  /** It was to run once, and has. */
  done: z.boolean().default(false),
});

const statusFile = (host: Host, id: string) => join(serviceDirectory(host, id), 'status.json');

/**
 * Sandboxed services of this host: a container of the OCI runtime each, kept running by a supervisor of its own that
 * outlives the worker. What is true of one is asked of the runtime and the kernel, never of the service.
 */
export class LocalServices implements ServiceEngine {
  private readonly turns = new Turns();
  private readonly cables = new Turns();
  /** Ports as of their last move: a description from before must not take addresses back. */
  private readonly moved = new Map<string, ServicePort>();
  private checked: Promise<void> | undefined;

  constructor(
    private readonly host: Host,
    private readonly programs: readonly Program[] = PROGRAMS,
  ) {}

  ensureService(given: ServiceSpec): Promise<Settlement> {
    return this.turns.take(given.id, () => this.settle(checked(serviceSpec, given)));
  }

  moveAddresses(id: string, port: ServicePort): Promise<void> {
    this.moved.set(id, this.newest(id, port));
    return this.cables.take(id, () => changeAddresses(this.host, id, this.newest(id, port)));
  }

  stopService(id: string): Promise<void> {
    return this.turns.take(id, async () => {
      if (!(await this.isPrepared())) return;
      await stopService(this.host, id, await stopMsOf(this.host, id));
      await this.pauseWayOut(id);
      // A stopped platform leaves nothing on the host; the next start makes its network anew, and mounts its folder.
      await restState(this.host, id);
      await this.cables.take(id, () => removeCable(this.host, id));
      await serviceGroups(this.host).dropParent();
    });
  }

  killService(id: string): Promise<void> {
    return this.turns.take(id, async () => {
      if (await this.isPrepared()) await endService(this.host, id);
    });
  }

  removeService(id: string): Promise<void> {
    return this.turns.take(id, async () => {
      await stopService(this.host, id, 0);
      await readLastLines(id);
      await removeRelay(this.host, id);
      await removeCable(this.host, id);
      this.moved.delete(id);
      await removeState(this.host, id);
      await removeFiles(this.host, id);
      await removePath(serviceSockets(this.host, id));
      await removePath(serviceDirectory(this.host, id));
      await removeRecord(serviceFile(this.host, id));
      serviceUsers(this.host).free(id);
      await serviceGroups(this.host).dropParent();
      await releaseNamespaces(this.host);
    });
  }

  async observeServices(): Promise<ObservedService[]> {
    const records = await allServices(this.host);
    const sandboxes = new Map((await this.sandboxes()).map((sandbox) => [sandbox.id, sandbox]));
    const ids = new Set([...records.keys(), ...sandboxes.keys()]);
    return Promise.all(
      [...ids].map(async (id) => {
        const said = await this.statusOf(id);
        const isRunning = sandboxes.get(id)?.isRunning ?? false;
        return {
          id,
          power: isRunning ? ('running' as const) : ('stopped' as const),
          stray: !records.has(id),
          startedAt: isRunning && said?.started_at_ms ? new Date(said.started_at_ms) : null,
          starts: said?.starts ?? 0,
          lastExit: said?.last_exit
            ? {
                at: new Date(said.last_exit.at_ms),
                code: said.last_exit.code,
                signal: said.last_exit.signal,
                outOfMemory: said.last_exit.out_of_memory,
              }
            : null,
        };
      }),
    );
  }

  async isHealthy(id: string): Promise<boolean> {
    const record = await findService(this.host, id);
    if (record?.power !== 'running') return false;
    // The runtime runs commands in a sandbox that has not started its program yet.
    return ((await findSandbox(this.host, id))?.isRunning ?? false) && (await answers(this.host, record));
  }

  async runInside(
    id: string,
    argv: readonly string[],
    options: { input?: string; timeoutMs?: number; outputBytes?: number } = {},
  ): Promise<CommandResult> {
    if (!(await findSandbox(this.host, id))?.isRunning)
      throw new EngineError('NOT_FOUND', 'The service is not running.');
    const command = [...runtimeCommand(this.host), 'exec', id, ...argv];
    return resultOf(command, options);
  }

  socketFolder(id: string): string {
    return serviceSockets(this.host, id);
  }

  stateFolder(id: string): string {
    return stateFolder(this.host, id);
  }

  egressSocket(id: string): string {
    return egressSocket(this.host, id);
  }

  async sampleService(id: string): Promise<ServiceStats | null> {
    const sandbox = await findSandbox(this.host, id);
    if (!sandbox?.isRunning) return null;
    const record = await findService(this.host, id);
    const pids = processesOf(sandbox.pid);
    return {
      sampledAt: new Date(),
      cpuSeconds: pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
      memoryBytes: await residentBytes(pids),
      processes: pids.length,
      state: await stateUsage(this.host, id, record?.state ?? null),
      network: await networkBytes(sandbox.pid),
    };
  }

  readLog(id: string, cursor: string | null, limit: number): Promise<LogPage> {
    return readLogPage(this.host, id, cursor, limit);
  }

  private async settle(spec: ServiceSpec): Promise<Settlement> {
    const { id } = spec;
    await this.requireRuntime();
    await prepareHost(this.host);
    await prepareVolatile(this.host);
    const fetched = await ensureProgram(this.host, spec.program, this.programs);
    if (!fetched.settled) return fetched;
    await this.refuseShrinking(spec);
    const uid = serviceUsers(this.host).allot(id);
    await mkdir(join(serviceDirectory(this.host, id), 'bundle'), { recursive: true, mode: 0o711 });
    const formerlyLive = await this.note(spec, uid);
    if (spec.power === 'stopped') {
      await stopService(this.host, id, stopMs(spec));
      await this.pauseWayOut(id);
      await changeRecord(statusFile(this.host, id), status, (said) => ({ ...said, done: false }));
      return { settled: true };
    }
    await mkdir(serviceSockets(this.host, id), { recursive: true, mode: 0o700 });
    await giveToUser(this.host, serviceSockets(this.host, id), uid, 0o700);
    const stop = () => stopService(this.host, id, stopMs(spec));
    const notGrown = spec.state && (await ensureState(this.host, id, { uid, sizeMb: spec.state.sizeMb, stop }));
    if (spec.front) await mkdir(entriesFolder(this.host), { recursive: true, mode: 0o711 });
    const { port } = spec;
    if (port) await this.cables.take(id, () => ensureCable(this.host, id, this.newest(id, port)));
    if (spec.egress) await ensureRelay(this.host, id);
    else await removeRelay(this.host, id);
    const filesChanged = await writeFiles(this.host, spec, { uid, formerlyLive });
    const rebuilt = await this.writeBundle(spec, uid);
    await this.openWay(spec);
    const isCutOff = await this.isCutOff(spec);
    await this.bringUp(spec, { filesChanged, rebuilt: rebuilt || isCutOff });
    // It runs as before meanwhile.
    if (notGrown) throw notGrown;
    return this.readiness(spec);
  }

  private newest(id: string, port: ServicePort): ServicePort {
    const moved = this.moved.get(id);
    const isOutdated = moved !== undefined && (port.moves ?? 0) < (moved.moves ?? 0);
    return isOutdated ? { ...port, sharedAddresses: moved.sharedAddresses, moves: moved.moves ?? 0 } : port;
  }

  /** @returns the paths of its live files until now */
  private async note(spec: ServiceSpec, uid: number): Promise<string[]> {
    const { id, program, state, health, power, limits } = spec;
    const port = spec.port && { id: spec.port.id, networkId: spec.port.networkId, ip: spec.port.ip };
    const { memoryMb, cpuMillis } = limits;
    const liveFiles = spec.files.filter(({ live }) => live).map(({ path }) => path);
    const record = { id, uid, program, port, state, health, power, memoryMb, cpuMillis, liveFiles };
    const present = await findService(this.host, id);
    if (JSON.stringify(present) !== JSON.stringify(record)) await writeRecord(serviceFile(this.host, id), record);
    return present?.liveFiles ?? [];
  }

  /** @returns whether the sandbox must be made anew for it */
  private async writeBundle(spec: ServiceSpec, uid: number): Promise<boolean> {
    const directory = serviceDirectory(this.host, spec.id);
    const root = programRoot(this.host, spec.program);
    const disk = (await serviceGroups(this.host).diskVersion()) && (await stateDevice(this.host, spec.id));
    const config = ociConfig({ host: this.host, spec, uid, root, init: INIT_PROGRAM, disk });
    const shim = shimSpec({
      host: this.host,
      spec,
      runc: runtimeCommand(this.host),
      oomFile: await serviceGroups(this.host).oomFile(spec.id),
    });
    const changed = await writeIfNew(join(directory, 'bundle', 'config.json'), config);
    return (await writeIfNew(join(directory, 'shim.json'), shim)) || changed;
  }

  private async refuseShrinking({ id, state }: ServiceSpec): Promise<void> {
    const before = (await findService(this.host, id))?.state?.sizeMb ?? 0;
    if (state && state.sizeMb < before) throw new EngineError('INVALID', 'A state folder cannot be shrunk.');
  }

  private async pauseWayOut(id: string): Promise<void> {
    await stopRelay(this.host, id);
    await releaseNamespaces(this.host);
  }

  /** Without root the way into the namespaces leads through a process that another one may have replaced. */
  private async openWay(spec: ServiceSpec): Promise<void> {
    const file = join(serviceDirectory(this.host, spec.id), 'enter.json');
    await writeIfNew(file, await runtimeEntry(this.host, spec));
  }

  /** Whether a service still runs in a network that was made anew since. */
  private async isCutOff(spec: ServiceSpec): Promise<boolean> {
    const { id } = spec;
    const sandbox = hasNetwork(spec) ? await findSandbox(this.host, id) : undefined;
    return sandbox !== undefined && !(await isInNamespace(this.host, serviceNamespace(this.host, id), sandbox.pid));
  }

  private async bringUp(spec: ServiceSpec, { filesChanged, rebuilt }: { filesChanged: boolean; rebuilt: boolean }) {
    const supervised = supervisorOf(this.host, spec.id) !== undefined;
    const restarts = supervised && (rebuilt || (filesChanged && spec.reload.kind === 'restart'));
    if (!supervised && !rebuilt && (await this.hasRun(spec))) return;
    if (restarts) await stopService(this.host, spec.id, stopMs(spec));
    if (!supervised || restarts) {
      await serviceGroups(this.host).weigh(SERVICES_WEIGHT);
      return startSupervisor(this.host, spec.id);
    }
    if (filesChanged) await this.reload(spec);
  }

  private async hasRun({ id, restart }: ServiceSpec): Promise<boolean> {
    return restart === 'never' && ((await this.statusOf(id))?.done ?? false);
  }

  private async reload({ id, reload }: ServiceSpec): Promise<void> {
    const sandbox = await findSandbox(this.host, id);
    if (!sandbox?.isRunning || reload.kind === 'restart') return;
    const command = reload.kind === 'signal' ? ['kill', id, reload.signal] : ['exec', id, ...reload.argv];
    const { code, stderr } = await resultOf([...runtimeCommand(this.host), ...command], {});
    if (code !== 0)
      throw new EngineError('ENGINE_ERROR', `The service refused its new configuration: ${stderr.trim()}`);
  }

  private async readiness({ id, program, restart }: ServiceSpec): Promise<Settlement> {
    const said = await this.statusOf(id);
    if (said?.pid && (await this.isHealthy(id))) return { settled: true };
    if (said?.held) return { settled: false, waits_for: 'Free space in the state folder', again_ms: HELD_AGAIN_MS };
    const ended = said?.last_exit;
    if (restart === 'never' && said?.done) return { settled: true };
    const why = ended ? ` after it ended with ${ended.signal ?? `code ${ended.code ?? 'unknown'}`}` : '';
    return { settled: false, waits_for: `Starting ${program.name}${why}`, again_ms: AGAIN_MS };
  }

  private statusOf(id: string) {
    return readRecord(statusFile(this.host, id), status);
  }

  private async sandboxes() {
    return (await this.isPrepared()) ? listSandboxes(this.host) : [];
  }

  private async isPrepared(): Promise<boolean> {
    return exists(runtimeFolder(this.host));
  }

  private async requireRuntime(): Promise<void> {
    this.checked ??= requireIsolation(this.host);
    await this.checked.catch((error) => {
      this.checked = undefined;
      throw error;
    });
  }
}

/** @throws EngineError `ENGINE_UNAVAILABLE` with what to install, or why services can't be isolated here */
async function requireIsolation(host: Host): Promise<void> {
  const missing = missingPrograms('services', host.isolation);
  const packages = [...new Set(missing.map((entry) => entry.package))].join(' ');
  const trouble = missing.length > 0 ? `Run: apt install ${packages}` : await serviceTrouble(host);
  if (trouble) throw new EngineError('ENGINE_UNAVAILABLE', trouble);
}

const patience = z.object({ stop_seconds: z.number() });

/** How long a service has to end, as its supervisor was last told. */
async function stopMsOf(host: Host, id: string): Promise<number> {
  const told = await readRecord(join(serviceDirectory(host, id), 'shim.json'), patience);
  return (told?.stop_seconds ?? DEFAULT_STOP_SECONDS) * 1000;
}

/** @returns whether it was written, because it was not there or said something else */
async function writeIfNew(file: string, value: unknown): Promise<boolean> {
  const present = parseJson(await readFile(file, 'utf8').catch(() => ''));
  if (JSON.stringify(present) === JSON.stringify(value)) return false;
  await writeRecord(file, value);
  return true;
}

async function networkBytes(pid: number): Promise<{ receivedBytes: number; sentBytes: number }> {
  const table = await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => '');
  const columns = new RegExp(`^\\s*${INTERFACE}:\\s*(.*)$`, 'm').exec(table)?.[1]?.split(/\s+/) ?? [];
  return { receivedBytes: Number(columns[0] ?? 0), sentBytes: Number(columns[8] ?? 0) };
}

/** Runs a command whose failure is an answer, not an error. Output beyond a mebibyte, or what is asked for, is cut. */
function resultOf(
  command: readonly string[],
  options: { input?: string; timeoutMs?: number; outputBytes?: number },
): Promise<CommandResult> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: 'pipe',
      env: programEnvironment(),
      timeout: options.timeoutMs ?? 30_000,
      killSignal: 'SIGKILL',
    });
    const collect = (stream: typeof child.stdout) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < (options.outputBytes ?? 1024 ** 2)) text += part;
      });
      return () => text;
    };
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout: stdout(), stderr: stderr() }));
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}
