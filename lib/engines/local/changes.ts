import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement, Waiting } from '@/lib/hosts/services/engine';

/** Reports the progress of a change. */
export type Tell = (waiting: Omit<Waiting, 'settled'>) => void;

/** The longest time until an answer: a shorter change needs no second call. */
const ANSWER_MS = 250;
/** Older results and failures do not answer a new call: the change may have been undone since. */
const REMEMBERED_MS = { result: 5_000, failure: 60_000 };

type Change<Result> = {
  wanted: string;
  waiting: Waiting;
  result?: { value: Result; at: number };
  failure?: { error: unknown; at: number };
  ended: Promise<void>;
};

/**
 * Changes that continue after the answer, one for each resource; the next call returns their progress. They end with the
 * process and can be started again at any point.
 */
export class Changes<Result extends object = object> {
  private readonly running = new Map<string, Change<Result>>();

  /** Starts a change, or joins a running one with the same `wanted`. Returns its result or throws its failure once. */
  async ask(id: string, wanted: string, work: (tell: Tell) => Promise<Result>): Promise<Settlement<Result>> {
    const known = this.running.get(id);
    const change = known && known.wanted === wanted && !isStale(known) ? known : this.begin(id, wanted, work);
    await Promise.race([change.ended, delay(ANSWER_MS)]);
    if (change.failure) {
      this.drop(id, change);
      throw change.failure.error;
    }
    if (!change.result) return change.waiting;
    this.drop(id, change);
    return { settled: true, ...change.result.value };
  }

  private begin(id: string, wanted: string, work: (tell: Tell) => Promise<Result>): Change<Result> {
    const change: Change<Result> = {
      wanted,
      waiting: { settled: false, waits_for: 'Preparing', again_ms: 200 },
      ended: Promise.resolve(),
    };
    for (const [other, known] of this.running) if (isStale(known)) this.running.delete(other);
    this.running.set(id, change);
    const tell: Tell = (waiting) => {
      change.waiting = { settled: false, ...waiting };
    };
    change.ended = work(tell).then(
      (result) => {
        change.result = { value: result, at: Date.now() };
      },
      (error) => {
        change.failure = { error, at: Date.now() };
      },
    );
    return change;
  }

  private drop(id: string, change: Change<Result>): void {
    if (this.running.get(id) === change) this.running.delete(id);
  }
}

const isStale = ({ result, failure }: Change<unknown>) =>
  (result !== undefined && Date.now() - result.at > REMEMBERED_MS.result) ||
  (failure !== undefined && Date.now() - failure.at > REMEMBERED_MS.failure);
