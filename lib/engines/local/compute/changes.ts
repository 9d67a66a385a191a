import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement } from '@/lib/hosts/services/engine';

/** What a change waits for at the moment, and when to ask again. */
export type Waiting = { waits_for: string; again_ms: number };

/** How long an answer may take: what is done in that time needs no second question. */
const ANSWER_MS = 250;
/** A failure that nobody has asked about for so long is no answer to a new question. */
const REMEMBERED_MS = 60_000;

type Change = {
  wanted: string;
  waiting: Waiting;
  isDone: boolean;
  failure?: { error: unknown; at: number };
  ended: Promise<void>;
};

/**
 * Changes that take long and go on after the answer, one for each thing: asking for the same again tells how far it is.
 * They end with the process, and what they were to do can be begun again at any point.
 */
export class Changes {
  private readonly running = new Map<string, Change>();

  /** Begins a change, or follows the one that has begun for the same wish. Its failure is thrown once. */
  async ask(
    id: string,
    wanted: string,
    work: (tell: (waiting: Waiting) => void) => Promise<void>,
  ): Promise<Settlement> {
    const known = this.running.get(id);
    const change = known && known.wanted === wanted && !isStale(known) ? known : this.begin(id, wanted, work);
    await Promise.race([change.ended, delay(ANSWER_MS)]);
    if (change.failure) {
      this.drop(id, change);
      throw change.failure.error;
    }
    return change.isDone ? { settled: true } : { settled: false, ...change.waiting };
  }

  private begin(id: string, wanted: string, work: (tell: (waiting: Waiting) => void) => Promise<void>): Change {
    const change: Change = {
      wanted,
      waiting: { waits_for: 'Preparing', again_ms: 200 },
      isDone: false,
      ended: Promise.resolve(),
    };
    for (const [other, known] of this.running) if (isStale(known)) this.running.delete(other);
    this.running.set(id, change);
    const tell = (waiting: Waiting) => {
      change.waiting = waiting;
    };
    change.ended = work(tell).then(
      () => {
        change.isDone = true;
        this.drop(id, change);
      },
      (error) => {
        change.failure = { error, at: Date.now() };
      },
    );
    return change;
  }

  private drop(id: string, change: Change): void {
    if (this.running.get(id) === change) this.running.delete(id);
  }
}

const isStale = ({ failure }: Change) => failure !== undefined && Date.now() - failure.at > REMEMBERED_MS;
