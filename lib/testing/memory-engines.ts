import { once } from 'node:events';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ConsoleKind,
  HostCapacity,
  InstanceFault,
  InstanceSpec,
  ObservedInstance,
} from '@/lib/domains/compute/engine';
import type { EngineImage } from '@/lib/domains/images/engine';
import type { EntryTarget, Router } from '@/lib/domains/network/engine';
import { type Engines, replaceEngines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { readLastLines } from '@/lib/engines/last-lines';
import type { LogLine, ProgramState } from '@/lib/hosts/services/engine';
import { ownCell } from '@/lib/settings';
import { MemoryFunctions } from './memory-functions';
import { MemoryServices, readMemoryLog } from './memory-services';

const SETTLED = { settled: true } as const;
const BOOTING = { settled: false, waits_for: 'Booting', again_ms: 20 } as const;
const EXTERNAL_IP = '198.19.0.16';

type Machine = { spec: InstanceSpec; fault: InstanceFault | null; off: boolean; startedAt: Date };

/** In-memory engines for tests of their callers. The engines' own contract tests cover real machines. */
export class MemoryEngines implements Engines {
  readonly machines = new Map<string, Machine>();
  readonly builtImages = new Set<string>();
  readonly routers = new Map<string, Router>();
  readonly entries = new Map<string, readonly EntryTarget[]>();
  /** Where connections to an address and port are led. */
  readonly redirects = new Map<string, string>();
  /** Thrown by the next calls that change machines. */
  failure: EngineError | undefined;
  /** Unix sockets of the consoles of all machines. */
  sockets: Record<ConsoleKind, string> | undefined;
  /** Bytes that the ports of any machine have sent to the outside. */
  egress = 0;
  /** What any router, network and floating IP has received and sent. */
  passed = { receivedBytes: 0, receivedPackets: 0, sentBytes: 0, sentPackets: 0 };
  private readonly consoleLines = new Map<string, LogLine[]>();
  /** The node of the cell that has all guests. */
  node: string | null = null;
  /** The duration of a boot. */
  bootMs = 0;
  /** The boot times of machines. */
  private readonly booting = new Map<string, number>();
  /** The last reboot of each machine. */
  private readonly reboots = new Map<string, string>();
  capacity: HostCapacity = {
    vcpus: { total: 1000, committed: 0 },
    memoryMb: { total: 100_000, committed: 0, free: 100_000, overhead: 160 },
    diskBytes: { total: 2 ** 50, free: 2 ** 50, held: 0 },
    gpuSlices: 0,
  };

  readonly compute: Engines['compute'] = {
    ensureInstance: async (spec) => {
      if (this.failure) throw this.failure;
      if (!this.builtImages.has(spec.disk.imageId)) throw new EngineError('NOT_FOUND', 'There is no such image.');
      for (const { id } of spec.ports) {
        if (!this.wiredPorts().has(id)) throw new EngineError('ENGINE_ERROR', 'A port is not wired.');
      }
      if (this.isBooting(spec.id)) return BOOTING;
      this.machines.set(spec.id, { spec, fault: null, off: spec.power === 'stopped', startedAt: new Date() });
      return SETTLED;
    },
    rebootInstance: async (id, _mode, request) => {
      if (this.failure) throw this.failure;
      const machine = this.machines.get(id);
      if (!machine || machine.off) throw new EngineError('NOT_FOUND', 'The instance is stopped.');
      if (this.reboots.get(id) === request) return SETTLED;
      if (this.isBooting(id)) return BOOTING;
      this.reboots.set(id, request);
      machine.startedAt = new Date();
      return SETTLED;
    },
    stopInstance: async (id) => {
      const machine = this.machines.get(id);
      if (machine) machine.off = true;
    },
    removeInstance: async (id) => {
      if (this.failure) throw this.failure;
      this.machines.delete(id);
      this.booting.delete(id);
      await readLastLines(id);
      this.consoleLines.delete(id);
    },
    observeInstances: async () => [...this.machines].map(([id, machine]) => observed(id, machine, this.node)),
    openConsole: async (_id, kind) => {
      if (!this.sockets) throw new EngineError('NOT_FOUND', 'The instance is stopped.');
      const socket = createConnection(this.sockets[kind]);
      await once(socket, 'connect');
      return socket;
    },
    consoleLog: async (id, lines) => {
      const log = Array.from({ length: 3 }, (_, index) => `${id} line ${index + 1}`);
      return { output: log.slice(-lines).join('\n'), truncated: lines < log.length };
    },
    readConsole: async (id, cursor, limit) => readMemoryLog(this.consoleLines.get(id) ?? [], cursor, limit),
    sampleInstance: async () => null,
    capacity: async () => this.capacity,
  };

  readonly network: Engines['network'] = {
    ensureRouter: async (router) => {
      if (this.failure) throw this.failure;
      this.routers.set(router.id, router);
      return { externalIp: EXTERNAL_IP, forwards: [], warnings: [] };
    },
    removeRouter: async (id) => {
      if (this.failure) throw this.failure;
      this.routers.delete(id);
    },
    observeRouters: async () =>
      [...this.routers.values()].map(({ id, networks }) => ({
        id,
        externalIp: EXTERNAL_IP,
        networkIds: networks.map((network) => network.id),
        portIds: networks.flatMap(({ ports }) => ports.map((port) => port.id)),
      })),
    egressBytes: async (ports) => {
      if (ports.some(({ id }) => !this.wiredPorts().has(id)))
        throw new EngineError('NOT_FOUND', 'A port is not wired.');
      return this.egress;
    },
    traffic: async ({ id, networkIds, floatingIpIds }) =>
      new Map(
        this.routers.has(id)
          ? [id, ...networkIds, ...floatingIpIds].map((counted) => [counted, { ...this.passed }])
          : [],
      ),
    serviceSocket: (id) => join(tmpdir(), `${id}.service`),
    ensureEntries: async (routerId, targets) => {
      this.entries.set(routerId, targets);
      return targets.map((target) => ({ ...target, socket: `/run/entries/${target.address}-${target.port}` }));
    },
    redirect: async ({ address, port }, to) => {
      if (to === null) this.redirects.delete(`${address}:${port}`);
      else this.redirects.set(`${address}:${port}`, to);
    },
    endRedirected: async () => {},
    floatingIpRanges: async () => [{ first: '198.18.0.1', last: '198.18.15.254' }],
  };

  readonly storage: Engines['storage'] = {
    ensureVolume: async () => SETTLED,
    attachVolume: async () => SETTLED,
    detachVolume: async () => SETTLED,
    removeVolume: async () => SETTLED,
    ensureSnapshot: async () => SETTLED,
    removeSnapshot: async () => SETTLED,
    readSnapshot: async () => nothingKept(),
    observeStorage: async () => ({ volumes: [], snapshots: [] }),
  };

  readonly images: Engines['images'] = {
    importImage: async (id) => ({ ...SETTLED, image: this.image(id) }),
    fetchImage: async (id) => ({ ...SETTLED, image: this.image(id) }),
    buildTinyImage: async (id) => ({ ...SETTLED, image: this.image(id) }),
    removeImage: async (id) => {
      this.builtImages.delete(id);
      return SETTLED;
    },
    observeImages: async () => [],
    receiveImage: async () => nothingKept(),
    discardReceived: async () => {},
    observeReceived: async () => [],
    readImage: async () => nothingKept(),
  };

  readonly services = new MemoryServices();
  readonly functions = new MemoryFunctions();

  /** The programs of the catalogue on this host. */
  readonly programStates: ProgramState[] = [];

  readonly programs: Engines['programs'] = {
    listPrograms: async () => this.programStates,
    fetchProgram: async ({ name, version }) => {
      const found = this.programStates.find((program) => program.name === name && program.version === version);
      if (!found) throw new EngineError('INVALID', `There is no program ${name} ${version}.`);
      Object.assign(found, { state: 'ready', progress: null, trouble: null });
    },
  };

  async probe() {
    return [];
  }

  /** Simulates a fault of a machine. */
  befall(id: string, fault: InstanceFault): void {
    const machine = this.machines.get(id);
    if (!machine) throw new Error(`there is no machine ${id}`);
    machine.fault = fault;
    machine.off = fault === 'crashed' || fault === 'guest_shutdown';
  }

  /** Writes a line to the serial console of a machine. */
  print(id: string, message: string): void {
    const line: LogLine = { at: new Date(), stream: 'console', message };
    this.consoleLines.set(id, [...(this.consoleLines.get(id) ?? []), line]);
  }

  private isBooting(id: string): boolean {
    const begun = this.booting.get(id) ?? performance.now();
    const goesOn = performance.now() - begun < this.bootMs;
    if (goesOn) this.booting.set(id, begun);
    else this.booting.delete(id);
    return goesOn;
  }

  private wiredPorts(): Set<string> {
    const networks = [...this.routers.values()].flatMap((router) => router.networks);
    return new Set(networks.flatMap(({ ports }) => ports.map(({ id }) => id)));
  }

  private image(id: string): EngineImage {
    this.builtImages.add(id);
    return { id, format: 'QCOW2', sizeBytes: 1024, virtualSizeBytes: 1024 ** 3, sha256: '0'.repeat(64) };
  }
}

function nothingKept(): never {
  throw new EngineError('ENGINE_UNAVAILABLE', 'Nothing is kept here.');
}

function observed(id: string, { spec, fault, off, startedAt }: Machine, node: string | null): ObservedInstance {
  return {
    id,
    power: off ? 'stopped' : spec.power,
    fault,
    generation: spec.disk.generation,
    volumeIds: spec.volumeIds,
    startedAt: off ? null : startedAt,
    node,
  };
}

/** Replaces the engines of a cell with new in-memory ones. */
export function useMemoryEngines(cell = ownCell()): MemoryEngines {
  const made = new MemoryEngines();
  replaceEngines(made, cell);
  return made;
}
