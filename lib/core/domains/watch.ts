import type { None } from './portal';

/** A recurring check of a cell agent. */
export type Look = {
  /** For the log: `observing the volumes`. */
  readonly name: string;
  /** The pause after each run. */
  readonly every_ms: number;
  /**
   * Called when the agent starts. State lives until the agent stops; `end` closes open resources. The signal of a look
   * aborts when the agent stops.
   */
  begin(): { look(signal: AbortSignal): Promise<void>; end?(): Promise<void> };
};

/** The order of shutdown: tenant machines, the services behind them, then the networks. */
export const stopStages = ['machines', 'services', 'networks'] as const;

/** Stopped with the platform, and restarted with it. */
export type Stop = {
  readonly stage: (typeof stopStages)[number];
  /** Time for an orderly shutdown, shared by all its items. */
  readonly grace_s: number;
  run(grace_s: number): Promise<void>;
};

/** The checks and shutdown tasks of a domain in a cell agent. Only workers load it, because it imports the engines. */
export type Watch = {
  /** Runs before the cell takes part; while it fails, nothing in the cell is touched. */
  readonly join: (() => Promise<void>) | None;
  readonly looks: readonly Look[];
  /** Runs whenever something in the database has changed. */
  readonly changed: (() => Promise<void>) | None;
  /** Problems of an engine that its report must mention. */
  readonly troubles: { readonly engine: string; list(): readonly string[] } | None;
  readonly stop: Stop | None;
};
