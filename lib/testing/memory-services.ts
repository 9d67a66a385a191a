import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '@/lib/engines/error';
import { readLastLines } from '@/lib/engines/last-lines';
import { checked } from '@/lib/engines/local/record';
import { serviceSpec } from '@/lib/engines/local/services/service-record';
import type {
  CommandResult,
  LogLine,
  LogPage,
  ObservedService,
  ProgramRef,
  ServiceEngine,
  ServiceExit,
  ServicePort,
  ServiceSpec,
  ServiceStats,
  Settlement,
} from '@/lib/hosts/services/engine';

type Remembered = {
  spec: ServiceSpec;
  startedAt: Date | null;
  starts: number;
  lastExit: ServiceExit | null;
  log: LogLine[];
  isRecorded: boolean;
};

const sameButFiles = (one: ServiceSpec, other: ServiceSpec) =>
  JSON.stringify({ ...one, files: [] }) === JSON.stringify({ ...other, files: [] });

/**
 * An in-memory service engine for tests of its callers; no process runs. Passes the same contract suite as the real
 * one.
 */
export class MemoryServices implements ServiceEngine {
  /** Thrown by the next calls that change services. */
  failure: EngineError | undefined;
  /** Services that are running but not ready. */
  readonly unready = new Set<string>();
  /** The result of a command inside a service. */
  command: (id: string, argv: readonly string[], input: string | undefined) => CommandResult = () => ({
    code: 0,
    stdout: '',
    stderr: '',
  });

  /** @param isProgram which programs exist; default: all */
  constructor(
    readonly services = new Map<string, Remembered>(),
    private readonly isProgram: (program: ProgramRef) => boolean = () => true,
  ) {}

  async ensureService(given: ServiceSpec): Promise<Settlement> {
    if (this.failure) throw this.failure;
    const spec = checked(serviceSpec, given);
    if (!this.isProgram(spec.program)) {
      throw new EngineError('INVALID', `There is no program ${spec.program.name} ${spec.program.version}.`);
    }
    const present = this.services.get(spec.id);
    if ((spec.state?.sizeMb ?? 0) < (present?.spec.state?.sizeMb ?? 0)) {
      throw new EngineError('INVALID', 'A state folder can grow, but not shrink.');
    }
    const service = present ?? { spec, startedAt: null, starts: 0, lastExit: null, log: [], isRecorded: true };
    const isAsWanted = present !== undefined && sameButFiles(present.spec, spec);
    this.services.set(spec.id, Object.assign(service, { spec, isRecorded: true }));
    if (spec.power === 'stopped') Object.assign(service, { startedAt: null, starts: 0 });
    else if (!isAsWanted) start(service, 1);
    const isReady = spec.power === 'stopped' || service.startedAt === null || !this.unready.has(spec.id);
    return isReady ? { settled: true } : { settled: false, waits_for: `Starting ${spec.program.name}`, again_ms: 10 };
  }

  async moveAddresses(id: string, port: ServicePort): Promise<void> {
    const service = this.services.get(id);
    if (service) service.spec = { ...service.spec, port };
  }

  async stopService(id: string): Promise<void> {
    if (this.failure) throw this.failure;
    const service = this.services.get(id);
    if (!service) return;
    Object.assign(service, { startedAt: null, starts: 0, spec: { ...service.spec, power: 'stopped' } });
  }

  async removeService(id: string): Promise<void> {
    if (this.failure) throw this.failure;
    await readLastLines(id);
    this.services.delete(id);
    this.unready.delete(id);
  }

  async observeServices(): Promise<ObservedService[]> {
    return [...this.services].map(([id, { startedAt, starts, lastExit, isRecorded }]) => ({
      id,
      power: startedAt ? 'running' : 'stopped',
      stray: !isRecorded,
      startedAt,
      starts,
      lastExit,
    }));
  }

  async isHealthy(id: string): Promise<boolean> {
    return this.running(id) !== undefined && !this.unready.has(id);
  }

  async runInside(id: string, argv: readonly string[], options: { input?: string } = {}): Promise<CommandResult> {
    if (!this.running(id)) throw new EngineError('NOT_FOUND', 'The service is not running.');
    return this.command(id, argv, options.input);
  }

  socketFolder(id: string): string {
    return join(tmpdir(), `memory-service-${id}`);
  }

  stateFolder(id: string): string {
    return join(tmpdir(), `memory-state-${id}`);
  }

  egressSocket(id: string): string {
    return join(tmpdir(), `memory-egress-${id}.sock`);
  }

  async sampleService(id: string): Promise<ServiceStats | null> {
    const service = this.running(id);
    if (!service) return null;
    const { state } = service.spec;
    return {
      sampledAt: new Date(),
      cpuSeconds: 0,
      memoryBytes: 1024 ** 2,
      processes: 1,
      state: state && { usedBytes: 0, totalBytes: state.sizeMb * 1024 ** 2 },
      network: { receivedBytes: 0, sentBytes: 0 },
    };
  }

  async readLog(id: string, cursor: string | null, limit: number): Promise<LogPage> {
    return readMemoryLog(this.services.get(id)?.log ?? [], cursor, limit);
  }

  /** Makes the service write a log line. */
  say(id: string, message: string): void {
    this.known(id).log.push({ at: new Date(), stream: 'stdout', message });
  }

  /** Ends a service unexpectedly; one with an always-restart policy starts again. */
  end(id: string, { code = null, signal = null, outOfMemory = false }: Partial<ServiceExit> = {}): void {
    const service = this.known(id);
    service.lastExit = { at: new Date(), code, signal, outOfMemory };
    service.startedAt = null;
    if (service.spec.restart === 'always') start(service, service.starts + 1);
  }

  /** Drops the record of a service that keeps running. */
  forget(id: string): void {
    this.known(id).isRecorded = false;
  }

  private known(id: string): Remembered {
    const service = this.services.get(id);
    if (!service) throw new Error(`there is no service ${id}`);
    return service;
  }

  private running(id: string): Remembered | undefined {
    const service = this.services.get(id);
    return service?.startedAt ? service : undefined;
  }
}

/** Lines of a log in memory after a cursor, their number. */
export function readMemoryLog(log: readonly LogLine[], cursor: string | null, limit: number): LogPage {
  if (cursor !== null && !/^\d+$/.test(cursor)) throw new EngineError('INVALID', 'This is not a valid log cursor.');
  const from = Number(cursor ?? 0);
  const lines = log.slice(from, from + limit);
  return { lines, cursor: String(from + lines.length), dropped: 0 };
}

function start(service: Remembered, starts: number): void {
  // Every start has a different time, as with real processes.
  service.startedAt = new Date(Math.max(Date.now(), (service.startedAt?.getTime() ?? 0) + 1));
  service.starts = starts;
}
