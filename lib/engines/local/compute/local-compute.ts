import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  ComputeEngine,
  ConsoleKind,
  HostCapacity,
  InstanceSpec,
  InstanceStats,
  ObservedInstance,
} from '@/lib/domains/compute/engine';
import type { LogPage, Settlement } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { readLastLines } from '../../last-lines';
import { untilSettled } from '../../until-settled';
import { chooseAccelerator } from '../accelerator';
import { Changes, type Tell } from '../changes';
import { groupsOf, guestUsers, type Host, prepareHost } from '../host';
import { EgressReader } from '../network/egress';
import { type EngineProcess, endProcess, findProcess } from '../processes';
import { type Monitor, runState, withMonitor } from '../qmp';
import { checked, removePath, removeRecord, writeRecord } from '../record';
import { forgetUnplugged, pluggedVolumes, plugVolume, unplugVolume } from '../storage/devices';
import { chainsInTurn, findVolume, requireVolume } from '../storage/layers';
import { endReach } from '../storage/reach';
import { Turns } from '../turns';
import { BootSlots } from './boot-slots';
import { BootWatch } from './boot-watch';
import { measureCapacity, requireRoom } from './capacity';
import { endLastLine, lastLines, readConsolePage } from './console-log';
import {
  consoleLogFile,
  findInstance,
  instanceDirectory,
  instanceFile,
  instanceSpec,
  monitorSocket,
  serialSocket,
  socketDirectory,
  vncSocket,
} from './instance-record';
import { pressPowerButton, startMachine, stopMachine } from './machine';
import { observeAll } from './observe';
import { forgetResets, hasReset, rememberReset } from './reboots';
import { sampleMachine } from './sample';

const SHUTDOWN_SECONDS = 20;
/** When to ask again how a boot or a shutdown goes, and when, while it waits for its turn. */
const SOON_MS = 200;
const QUEUED_MS = 1000;
const SHUTTING_DOWN = { waits_for: 'Shutting down', again_ms: SOON_MS };

/** Guests as QEMU processes of this host. */
export class LocalCompute implements ComputeEngine {
  private readonly turns = new Turns();
  private readonly interrupts = new Map<string, AbortController>();
  private readonly changes = new Changes();
  private readonly slots = new BootSlots();
  private readonly egress: EgressReader;

  constructor(private readonly host: Host) {
    this.egress = new EgressReader(host);
  }

  async ensureInstance(wanted: InstanceSpec): Promise<Settlement> {
    const spec = checked(instanceSpec, wanted);
    return this.change(spec.id, JSON.stringify(spec), async (tell, signal) => {
      await prepareHost(this.host);
      const machine = findProcess(this.host, 'qemu', spec.id);
      const before = await findInstance(this.host, spec.id);
      const isRebuild = before !== null && before.disk.generation !== spec.disk.generation;
      if (machine && isRebuild) await endProcess(machine);
      const current = isRebuild ? undefined : machine;
      if (!current && spec.power !== 'stopped') await requireRoom(this.host, spec);
      await writeRecord(instanceFile(this.host, spec.id), spec);
      if (spec.power !== 'stopped') return this.switchOn(spec, current, tell, signal);
      tell(SHUTTING_DOWN);
      await this.switchOff(spec, current, signal);
    });
  }

  rebootInstance(id: string, mode: 'soft' | 'hard', request: string): Promise<Settlement> {
    return this.change(id, `reboot ${request}`, async (tell, signal) => {
      const spec = await findInstance(this.host, id);
      const machine = findProcess(this.host, 'qemu', id);
      if (!spec || !machine) throw new EngineError('NOT_FOUND', `Instance ${id} is stopped.`);
      if (await hasReset(this.host, id, request)) return this.resumeBoot(machine, tell, signal);
      if (mode === 'soft') {
        tell(SHUTTING_DOWN);
        await pressPowerButton(this.host, machine, shutdownMs(spec), signal);
      }
      await this.boot(id, tell, signal, async () => {
        const watch = await BootWatch.begin(this.host, id);
        await withMonitor(monitorSocket(this.host, id), async (monitor) => {
          await monitor.execute('system_reset');
          await monitor.execute('cont');
        });
        await rememberReset(this.host, id, request);
        return { guest: machine, watch };
      });
    });
  }

  async stopInstance(id: string): Promise<void> {
    const spec = await findInstance(this.host, id);
    if (spec) {
      await untilSettled(() => this.ensureInstance({ ...spec, power: 'stopped' }));
      return;
    }
    await this.inTurn(id, async () => {
      const machine = findProcess(this.host, 'qemu', id);
      if (machine) await endProcess(machine);
    });
  }

  async removeInstance(id: string): Promise<void> {
    this.interrupts.get(id)?.abort(new EngineError('ENGINE_ERROR', 'The instance is being deleted.'));
    await this.turns.take(id, async () => {
      const machine = findProcess(this.host, 'qemu', id);
      if (machine) await endProcess(machine);
      await endLastLine(consoleLogFile(this.host, id));
      await readLastLines(id);
      await groupsOf(this.host).drop(id);
      await endReach(this.host, id);
      await BootWatch.end(this.host, id);
      await forgetResets(this.host, id);
      await removePath(socketDirectory(this.host, id));
      await removePath(instanceDirectory(this.host, id));
      guestUsers(this.host).free(id);
      // Last, so that a crash on the way leaves something that is observed and removed again.
      await removeRecord(instanceFile(this.host, id));
    });
  }

  observeInstances(): Promise<ObservedInstance[]> {
    return observeAll(this.host);
  }

  openConsole(id: string, kind: ConsoleKind): Promise<Duplex> {
    const path = { vnc: vncSocket, serial: serialSocket }[kind](this.host, id);
    return new Promise((resolve, reject) => {
      const socket = createConnection(path);
      socket.once('connect', () => resolve(socket));
      socket.once('error', () => reject(new EngineError('NOT_FOUND', `Instance ${id} is stopped: start it first.`)));
    });
  }

  consoleLog(id: string, lines: number): Promise<{ output: string; truncated: boolean }> {
    return lastLines(consoleLogFile(this.host, id), lines);
  }

  readConsole(id: string, cursor: string | null, limit: number): Promise<LogPage> {
    return readConsolePage(consoleLogFile(this.host, id), cursor, limit);
  }

  sampleInstance(id: string): Promise<InstanceStats | null> {
    return sampleMachine(this.host, id, this.egress);
  }

  async capacity(): Promise<HostCapacity> {
    await prepareHost(this.host);
    return measureCapacity(this.host);
  }

  private async switchOn(
    spec: InstanceSpec,
    running: EngineProcess | undefined,
    tell: Tell,
    signal: AbortSignal,
  ): Promise<void> {
    const machine = await this.usable(spec, running);
    if (!machine) {
      for (const id of spec.volumeIds) await requireVolume(this.host, id);
      const accelerator = await this.turns.take('accelerator', () => chooseAccelerator(this.host));
      await this.boot(spec.id, tell, signal, async () => {
        // Others that have waited longer took their room meanwhile.
        await requireRoom(this.host, spec);
        const watch = await BootWatch.begin(this.host, spec.id);
        const guest = await startMachine(this.host, spec, accelerator);
        await this.matchVolumes(spec);
        return { guest, watch };
      });
    } else {
      await this.matchVolumes(spec);
      await this.resumeBoot(machine, tell, signal);
    }
    await withMonitor(monitorSocket(this.host, spec.id), async (monitor) => {
      const state = await runState(monitor);
      if (spec.power === 'paused' && state === 'running') await monitor.execute('stop');
      if (spec.power === 'running' && state !== 'running') await monitor.execute('cont');
    });
  }

  /** Boots a guest when it is its turn, and ends when the guest is up. */
  private async boot(
    id: string,
    tell: Tell,
    signal: AbortSignal,
    start: () => Promise<{ guest: EngineProcess; watch: BootWatch }>,
  ): Promise<void> {
    tell({ waits_for: 'Waiting for other instances to boot', again_ms: QUEUED_MS });
    await this.slots.boot(async () => {
      tell({ waits_for: 'Booting', again_ms: SOON_MS });
      const { guest, watch } = await start();
      return { guest, isUp: () => watch.isUp() };
    }, signal);
    await BootWatch.end(this.host, id);
  }

  /** Waits for a boot that an earlier process started, if there is one. */
  private async resumeBoot(guest: EngineProcess, tell: Tell, signal: AbortSignal): Promise<void> {
    const watch = await BootWatch.resume(this.host, guest.id);
    if (watch) await this.boot(guest.id, tell, signal, async () => ({ guest, watch }));
  }

  /** A process whose guest has switched itself off, or that answers no more, makes room for a new one. */
  private async usable(spec: InstanceSpec, machine: EngineProcess | undefined): Promise<EngineProcess | undefined> {
    if (!machine) return undefined;
    const state = await withMonitor(monitorSocket(this.host, spec.id), runState).catch(() => 'silent');
    if (state !== 'shutdown' && state !== 'silent' && state !== 'internal-error') return machine;
    await endProcess(machine);
    return undefined;
  }

  private async switchOff(spec: InstanceSpec, machine: EngineProcess | undefined, signal: AbortSignal): Promise<void> {
    if (machine) await stopMachine(this.host, machine, shutdownMs(spec), signal);
    await groupsOf(this.host).drop(spec.id);
    await endReach(this.host, spec.id);
    await BootWatch.end(this.host, spec.id);
    await removePath(socketDirectory(this.host, spec.id));
  }

  private async matchVolumes(spec: InstanceSpec): Promise<void> {
    const wanted = new Set(spec.volumeIds);
    const match = async (monitor: Monitor) => {
      const plugged = new Set(await pluggedVolumes(monitor));
      const surplus = [...plugged].filter((id) => !wanted.has(id));
      for (const id of surplus) {
        const volume = await findVolume(this.host, id);
        if (volume) await unplugVolume(monitor, volume);
      }
      if (surplus.length > 0) await forgetUnplugged(this.host, monitor, spec.id);
      for (const id of wanted) {
        if (plugged.has(id)) continue;
        await plugVolume(this.host, monitor, await requireVolume(this.host, id), spec.id, spec.diskLimits);
      }
    };
    await chainsInTurn(this.host, () => withMonitor(monitorSocket(this.host, spec.id), match));
  }

  private change(
    id: string,
    wanted: string,
    work: (tell: Tell, signal: AbortSignal) => Promise<void>,
  ): Promise<Settlement> {
    return this.changes.ask(id, wanted, async (tell) => {
      await this.inTurn(id, (signal) => work(tell, signal));
      return {};
    });
  }

  private inTurn(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.turns.take(id, async () => {
      const interrupt = new AbortController();
      this.interrupts.set(id, interrupt);
      try {
        await work(interrupt.signal);
      } finally {
        this.interrupts.delete(id);
      }
    });
  }
}

const shutdownMs = (spec: InstanceSpec) => (spec.shutdownSeconds ?? SHUTDOWN_SECONDS) * 1000;
