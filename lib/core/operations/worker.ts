import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { onChange, oneAtATime } from '@/lib/core/db/changes';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';
import { endedElsewhere, type LeasedOperation, type LeaseHolder, lease, reclaim, renew } from './lease';
import { type PeriodicJob, startPeriodicJobs } from './periodic';
import { type Backoff, carryOn, exponentialBackoff, type Held } from './run';
import type { OperationSteps } from './steps';

export type WorkerOptions = {
  /** The cell whose work it does besides the platform's; default: this process's own cell. */
  cell?: string;
  steps: readonly OperationSteps[];
  jobs: readonly PeriodicJob[];
  /** The maximum of operations at once. */
  concurrency?: number;
  /** How long a lease outlives a dead worker; it is renewed three times in this period. */
  lease_ms?: number;
  backoff?: Backoff;
  /** How long steps may take to end when the worker stops. */
  grace_ms?: number;
};

export type Worker = {
  /** Stops taking operations and interrupts running ones; settles when they have ended, or after `grace_ms`. */
  stop(): Promise<void>;
};

/** A step that is still running this long after its deadline hangs: its lease is left to expire. */
const HANGS_MS = 5 * 60_000;

/**
 * Starts to run operations and periodic jobs. Any number of workers can share the work; each cell's work stays in the
 * cell.
 */
export function startWorker(options: WorkerOptions): Worker {
  const runner = new Runner(options);
  const jobs = startPeriodicJobs(options.jobs);
  return {
    async stop() {
      await Promise.all([runner.stop(), jobs.stop()]);
    },
  };
}

/** Times are in `performance.now()`. */
type Running = Held & { ended: Promise<void>; leased_until: number; hangs_at: number };

class Runner {
  private readonly running = new Map<string, Running>();
  private readonly steps: readonly OperationSteps[];
  private readonly concurrency: number;
  private readonly backoff: Backoff;
  private readonly grace_ms: number;
  private readonly holder: LeaseHolder;
  private readonly changes: { stop(): Promise<void> };
  private readonly heartbeat: NodeJS.Timeout;
  private readonly look = oneAtATime(() => this.takeOn());
  private stopping = false;

  constructor(options: WorkerOptions) {
    this.steps = options.steps;
    this.concurrency = options.concurrency ?? 16;
    this.backoff = options.backoff ?? exponentialBackoff;
    this.grace_ms = options.grace_ms ?? 20_000;
    const cell_id = options.cell ?? ownCell();
    const lease_ms = options.lease_ms ?? 15_000;
    this.holder = { id: `${cell_id}:${process.pid}:${randomBytes(6).toString('hex')}`, cell_id, lease_ms };
    this.changes = onChange(async () => this.look.fire());
    const beat = oneAtATime(() => this.keepLeases());
    this.heartbeat = setInterval(beat.fire, lease_ms / 3);
    beat.fire();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.look.idle();
    for (const { interrupt } of this.running.values()) interrupt.abort(new Error('the worker stops'));
    const ended = Promise.all([...this.running.values()].map((running) => running.ended));
    const patience = new AbortController();
    await Promise.race([ended, delay(this.grace_ms, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
    clearInterval(this.heartbeat);
    await this.changes.stop();
  }

  /** Leases and starts due operations while there are free slots. */
  private async takeOn(): Promise<void> {
    if (this.stopping) return;
    await this.interruptEnded();
    const slots = this.concurrency - this.running.size;
    const rooms = this.steps
      .map(({ kind, concurrency }) => ({ kind, slots: Math.min(slots, concurrency - this.runningOf(kind)) }))
      .filter((room) => room.slots > 0);
    if (rooms.length === 0) return;
    const askedAt = performance.now();
    const leased = await lease(this.holder, rooms, slots);
    for (const steps of this.steps) {
      for (const operation of leased.filter(({ kind }) => kind === steps.kind)) this.begin(operation, steps, askedAt);
    }
  }

  private begin(operation: LeasedOperation, steps: OperationSteps, leasedAt: number): void {
    const interrupt = new AbortController();
    const held: Held = { operation, interrupt, deadline: leasedAt + operation.remaining_ms };
    const ended = carryOn(this.holder, held, steps, this.backoff)
      .then((dueIn) => {
        // Operations due later are found by the search that runs every second.
        if (dueIn !== undefined && dueIn < 1000) setTimeout(this.look.fire, dueIn).unref();
      })
      .catch((error) => log.warn({ err: error, operation: operation.id }, 'an operation was left to its lease'))
      .finally(() => {
        this.running.delete(operation.id);
        this.look.fire();
      });
    const leased_until = leasedAt + this.holder.lease_ms;
    const hangs_at = leasedAt + Math.max(0, operation.remaining_ms) + HANGS_MS;
    this.running.set(operation.id, Object.assign(held, { ended, leased_until, hangs_at }));
  }

  /** Interrupts cancelled operations at once: a delete must not wait for the next heartbeat. */
  private async interruptEnded(): Promise<void> {
    if (this.running.size === 0) return;
    const held = [...this.running.values()].map(({ operation }) => operation);
    for (const id of await endedElsewhere(this.holder, held)) this.running.get(id)?.interrupt.abort(takenAway());
  }

  /** Renews this worker's leases and frees those of dead workers. Without a database, its own leases expire too. */
  private async keepLeases(): Promise<void> {
    const askedAt = performance.now();
    const held = [...this.running.values()].filter(({ hangs_at }) => askedAt < hangs_at);
    try {
      const operations = held.map(({ operation }) => operation);
      const renewed = operations.length > 0 ? await renew(this.holder, operations) : new Set();
      for (const running of held) {
        if (renewed.has(running.operation.id)) running.leased_until = askedAt + this.holder.lease_ms;
        else running.interrupt.abort(takenAway());
      }
      await reclaim();
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed');
    }
    for (const running of this.running.values()) {
      if (performance.now() >= running.leased_until) running.interrupt.abort(new Error('the lease ran out'));
    }
  }

  private runningOf(kind: string): number {
    return [...this.running.values()].filter(({ operation }) => operation.kind === kind).length;
  }
}

function takenAway(): Error {
  return new Error('a delete came, or the lease was lost');
}
