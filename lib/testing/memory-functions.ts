import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  FunctionEngine,
  FunctionInstance,
  InstanceEvent,
  InstanceLine,
  InstanceSpec,
  Outcome,
  StartFailure,
} from '@/lib/domains/functions/engine';
import type { EngineError } from '@/lib/engines/error';

const folder = join(tmpdir(), `mf-${randomUUID().slice(0, 8)}`);

/** What a function of the memory engine does with an event. */
export type MemoryHandler = (
  event: unknown,
  spec: InstanceSpec,
  say: (message: string) => void,
) => Promise<Partial<Outcome>>;

/** Instances without processes, for tests of their callers: every function answers with its event, unless a test says more. */
export class MemoryFunctions implements FunctionEngine {
  readonly started: InstanceSpec[] = [];
  readonly running = new Set<string>();
  /** Thrown by the next starts. */
  failure: StartFailure | EngineError | undefined;
  handler: MemoryHandler = async (event) => ({ kind: 'result', result: event });

  async prepare() {
    return { settled: true } as const;
  }

  async start(spec: InstanceSpec, hear: (line: InstanceLine) => void): Promise<FunctionInstance> {
    if (this.failure) throw this.failure;
    this.started.push(spec);
    this.running.add(spec.id);
    return new MemoryInstance(this, spec, hear);
  }

  poolSocket(): string {
    return join(folder, 'pool.sock');
  }

  egressSocket(id: string): string {
    return join(folder, `${createHash('sha256').update(id).digest('hex').slice(0, 12)}.sock`);
  }

  async rest(): Promise<void> {}
}

class MemoryInstance implements FunctionInstance {
  private alive = true;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly engine: MemoryFunctions,
    private readonly spec: InstanceSpec,
    private readonly hear: (line: InstanceLine) => void,
  ) {}

  async invoke({ event, timeoutMs }: InstanceEvent): Promise<Outcome> {
    const facts = { durationMs: 1, memoryMb: 10 };
    const late = new Promise<Partial<Outcome>>((resolve) =>
      setTimeout(() => resolve({ kind: 'ended', end: { reason: 'timeout' } }), timeoutMs).unref(),
    );
    const say = (message: string) => this.hear({ stream: 'stdout', message });
    const outcome = await Promise.race([this.engine.handler(event, this.spec, say), late]);
    if (outcome.kind === 'ended') await this.kill();
    switch (outcome.kind) {
      case 'ended':
        return { ...facts, kind: 'ended', end: outcome.end ?? { reason: 'timeout' } };
      case 'error':
        return { ...facts, kind: 'error', error: outcome.error ?? { type: 'Error', message: 'no', stack: null } };
      default:
        return { ...facts, kind: 'result', result: 'result' in outcome ? outcome.result : null };
    }
  }

  isAlive = (): boolean => this.alive;

  onEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  async kill(): Promise<void> {
    if (!this.alive) return;
    this.alive = false;
    this.engine.running.delete(this.spec.id);
    for (const listener of this.listeners.splice(0)) listener();
  }
}
