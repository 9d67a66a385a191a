import { now } from '@/lib/clock';
import type { PoolAnswer } from './pool';

/** Durations that percentiles are taken from; older ones fall out. */
const MOST_DURATIONS = 2000;

/** What a function has done since its pool began. */
export class FunctionFigures {
  readonly counts = { succeeded: 0, failed: 0, timed_out: 0, out_of_memory: 0 };
  coldStarts = 0;
  throttled = 0;
  private peak = 0;
  /** Null once it has been taken. */
  private began: Date | null = now();
  private durations: number[] = [];

  ended({ status, duration_ms, cold_start }: PoolAnswer): void {
    this.counts[status] += 1;
    if (cold_start) this.coldStarts += 1;
    this.durations.push(duration_ms);
    if (this.durations.length > MOST_DURATIONS) this.durations = this.durations.slice(-MOST_DURATIONS / 2);
  }

  reached(busy: number): void {
    this.peak = Math.max(this.peak, busy);
  }

  /** Concurrency and durations since the last call; no durations where nothing ended. The first call also says when it began. */
  takeRecent(): { began: Date | null; peak: number; durations: { p50: number; p99: number } | null } {
    const { began, peak } = this;
    this.began = null;
    const sorted = this.durations.toSorted((one, other) => one - other);
    this.peak = 0;
    this.durations = [];
    if (sorted.length === 0) return { began, peak, durations: null };
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { began, peak, durations: { p50: at(0.5), p99: at(0.99) } };
  }
}

export class Figures {
  private readonly functions = new Map<string, FunctionFigures>();

  of(functionId: string): FunctionFigures {
    const present = this.functions.get(functionId) ?? new FunctionFigures();
    this.functions.set(functionId, present);
    return present;
  }

  all = (): ReadonlyMap<string, FunctionFigures> => this.functions;

  forget(functionId: string): void {
    this.functions.delete(functionId);
  }
}
