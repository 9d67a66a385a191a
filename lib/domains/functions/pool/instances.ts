import { newId } from '@/lib/core/db/id';
import { payloadsFor } from '@/lib/domains/secrets/service';
import { EngineError } from '@/lib/engines/error';
import { ensureUnpacked } from '../code/unpacked';
import type { FunctionEngine, FunctionInstance, InstanceLine } from '../engine';
import { openEnvironment } from '../environment';
import { layerFolders } from '../layers';
import { wiredPort } from '../port';
import { programOf } from '../templates';
import type { Egress } from './egress';
import { languageOf, type RunnableVersion, templateOf } from './facts';
import { Room } from './room';

/** An idle instance ends after this. */
export const IDLE_MS = 5 * 60_000;
/** How long a call may wait for a runtime that is being fetched. */
const FETCH_MS = 25_000;

/** An instance with what hears its lines now. */
export type Warm = {
  instance: FunctionInstance;
  version: RunnableVersion;
  hear: (line: InstanceLine) => void;
  idleSince: number;
};

export type Acquired = { warm: Warm; cold: boolean; initMs: number };

/** The instances of a host. One serves one version of one function, ever. */
export class Instances {
  private readonly idle = new Map<string, Warm[]>();
  private readonly all = new Set<Warm>();
  private memoryMb = 0;
  private readonly memoryOf = new Map<string, number>();
  readonly room: Room;

  constructor(
    private readonly cell: string,
    private readonly engine: FunctionEngine,
    private readonly egress: Egress,
    private readonly most: { hostMb: number; projectMb: number },
  ) {
    this.room = new Room(cell);
  }

  count = (): number => this.all.size;

  /** Memory that the instances of a project may use now. */
  ofProject = (projectId: string): number => this.memoryOf.get(projectId) ?? 0;

  /**
   * A warm instance, or a new one.
   * @throws StartFailure, EngineError `CAPACITY_EXHAUSTED` for want of memory, `ENGINE_UNAVAILABLE`
   */
  async acquire(version: RunnableVersion, hear: (line: InstanceLine) => void): Promise<Acquired> {
    const free = this.idle.get(version.id) ?? [];
    for (let warm = free.pop(); warm; warm = free.pop()) {
      if (!warm.instance.isAlive()) continue;
      warm.hear = hear;
      return { warm, cold: false, initMs: 0 };
    }
    const begun = performance.now();
    const warm = await this.start(version, hear);
    return { warm, cold: true, initMs: performance.now() - begun };
  }

  /** Takes an instance back for the next event. */
  release(warm: Warm, isCurrent: boolean): void {
    warm.hear = () => {};
    warm.idleSince = performance.now();
    if (!warm.instance.isAlive()) return;
    if (!isCurrent) {
      this.end(warm);
      return;
    }
    const free = this.idle.get(warm.version.id) ?? [];
    free.push(warm);
    this.idle.set(warm.version.id, free);
  }

  /** Ends instances that have had nothing to do for long. */
  sweep(): void {
    const before = performance.now() - IDLE_MS;
    this.endIdle((warm) => warm.idleSince < before);
  }

  /** Ends the instances of a function; those of its current version stay. */
  retire(functionId: string, current: number | null): void {
    this.endIdle(({ version }) => version.function_id === functionId && version.version !== current);
    if (current !== null) return;
    for (const warm of this.all) if (warm.version.function_id === functionId) this.end(warm);
  }

  /** Ends everything, and waits for it. */
  async stop(): Promise<void> {
    await Promise.all([...this.all].map(({ instance }) => instance.kill()));
    await this.room.trim();
  }

  /** Whose code is in use. */
  versions = (): RunnableVersion[] => [...this.all].map(({ version }) => version);

  private endIdle(isMeant: (warm: Warm) => boolean): void {
    for (const [id, free] of this.idle) {
      const kept = free.filter((warm) => !isMeant(warm));
      for (const warm of free) if (isMeant(warm)) this.end(warm);
      if (kept.length > 0) this.idle.set(id, kept);
      else this.idle.delete(id);
    }
  }

  private end({ instance }: Warm): void {
    // Its end frees what it has taken.
    void instance.kill();
  }

  private async start(version: RunnableVersion, hear: (line: InstanceLine) => void): Promise<Warm> {
    this.take(version);
    try {
      await this.reserve(version);
      const warm = await this.begin(version, hear);
      this.all.add(warm);
      warm.instance.onEnd(() => {
        this.all.delete(warm);
        this.give(warm.version);
      });
      return warm;
    } catch (error) {
      this.give(version);
      throw error;
    }
  }

  private async begin(version: RunnableVersion, hear: (line: InstanceLine) => void): Promise<Warm> {
    const { runtime, file } = templateOf(version);
    const program = programOf[runtime];
    await this.prepared(program);
    const { project_id, function_id, name, code_kind, code_sha256 } = version;
    const holder: { warm?: Warm } = {};
    const instance = await this.engine.start(
      {
        id: newId(),
        program,
        language: languageOf(runtime),
        codeFolder: await ensureUnpacked({ code_kind, code_sha256, file }),
        layerFolders: await layerFolders(project_id, version.layer_version_ids, function_id),
        handler: version.handler,
        environment: await environmentOf(version),
        memoryMb: version.memory_mb,
        egressSocket: version.network === 'outbound' ? await this.egress.open({ project_id, function_id, name }) : null,
        port: version.network === 'project' ? await wiredPort(this.cell, version) : null,
        function: { name, version: version.version },
      },
      (line) => (holder.warm ? holder.warm.hear(line) : hear(line)),
    );
    const warm: Warm = { instance, version, hear, idleSince: performance.now() };
    holder.warm = warm;
    return warm;
  }

  private async prepared(program: { name: string; version: string }): Promise<void> {
    const until = performance.now() + FETCH_MS;
    for (;;) {
      const answer = await this.engine.prepare(program);
      if (answer.settled) return;
      if (performance.now() > until)
        throw new EngineError('ENGINE_UNAVAILABLE', `${answer.waits_for}. Try again in a moment.`);
      await new Promise((resolve) => setTimeout(resolve, answer.again_ms));
    }
  }

  /** @throws EngineError `CAPACITY_EXHAUSTED` where idle instances leave no room either */
  private async reserve(version: RunnableVersion): Promise<void> {
    try {
      await this.room.reserve(version);
    } catch (error) {
      if (!(error instanceof EngineError) || !this.makeRoom(version.memory_mb)) throw error;
      await this.room.trim();
      await this.room.reserve(version);
    }
  }

  /** @throws EngineError `CAPACITY_EXHAUSTED` */
  private take(version: RunnableVersion): void {
    const { project_id, memory_mb } = version;
    const own = this.ofProject(project_id);
    if (own + memory_mb > this.most.projectMb) this.makeRoom(own + memory_mb - this.most.projectMb, project_id);
    if (this.memoryMb + memory_mb > this.most.hostMb) this.makeRoom(this.memoryMb + memory_mb - this.most.hostMb);
    if (this.ofProject(project_id) + memory_mb > this.most.projectMb) {
      throw new EngineError(
        'CAPACITY_EXHAUSTED',
        `The project’s functions use ${this.ofProject(project_id)} MB of memory; at most ${this.most.projectMb} MB are allowed (FUNCTION_MEMORY_MB_PER_PROJECT).`,
      );
    }
    if (this.memoryMb + memory_mb > this.most.hostMb)
      throw new EngineError('CAPACITY_EXHAUSTED', 'The host has no memory for another instance of a function.');
    this.memoryMb += memory_mb;
    this.room.add(version, memory_mb);
    this.memoryOf.set(project_id, this.ofProject(project_id) + memory_mb);
  }

  private give(version: RunnableVersion): void {
    const { project_id, memory_mb } = version;
    this.memoryMb -= memory_mb;
    this.room.remove(version, memory_mb);
    const left = this.ofProject(project_id) - memory_mb;
    if (left > 0) this.memoryOf.set(project_id, left);
    else this.memoryOf.delete(project_id);
  }

  /**
   * Ends idle instances, those that have been idle longest first, until so much memory is free.
   * @returns whether there were any
   */
  private makeRoom(wantedMb: number, projectId?: string): boolean {
    const candidates = [...this.idle.values()]
      .flat()
      .filter(({ version }) => projectId === undefined || version.project_id === projectId)
      .toSorted((one, other) => one.idleSince - other.idleSince);
    let found = 0;
    const chosen = new Set<Warm>();
    for (const warm of candidates) {
      if (found >= wantedMb) break;
      found += warm.version.memory_mb;
      chosen.add(warm);
    }
    for (const warm of chosen) {
      this.all.delete(warm);
      this.give(warm.version);
      // Its own end must not give it back a second time.
      warm.version = { ...warm.version, memory_mb: 0 };
    }
    this.endIdle((warm) => chosen.has(warm));
    return chosen.size > 0;
  }
}

async function environmentOf(version: RunnableVersion): Promise<Record<string, string>> {
  const { project_id, env } = version;
  const given = openEnvironment(project_id, version.id, version.sealed_env);
  const ids = env.flatMap(({ secret_id }) => secret_id ?? []);
  const payloads = await payloadsFor(project_id, ids);
  const secrets = env.flatMap(({ name, secret_id }) => {
    const payload = secret_id === null ? undefined : payloads.get(secret_id);
    return payload === undefined ? [] : [[name, payload] as const];
  });
  return { ...given, ...Object.fromEntries(secrets) };
}
