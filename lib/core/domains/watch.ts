import type { None } from './portal';

/** Something that the agent of a cell does again and again. */
export type Look = {
  /** What it does, for the log: `observing the volumes`. */
  readonly name: string;
  /** It is done again so long after it ended. */
  readonly every_ms: number;
  /** Makes what is done, when the agent starts: what it remembers ends with the agent, and what it has open in `end`. */
  begin(): { look(): Promise<void>; end?(): Promise<void> };
};

/** In this order things are taken down: what runs for tenants, what serves it, and what connects them. */
export const stopStages = ['machines', 'services', 'networks'] as const;

/** What is taken down when the platform stops, and comes back with the next start. */
export type Stop = {
  readonly stage: (typeof stopStages)[number];
  /** How long something of it may take to end by itself, when everybody waits for it. */
  readonly grace_s: number;
  run(grace_s: number): Promise<void>;
};

/** What a domain has the agent of a cell look after. Only workers load it, and with it the engines. */
export type Watch = {
  /** Done before the cell takes part; as long as it fails, nothing in the cell is touched. */
  readonly join: (() => Promise<void>) | None;
  readonly looks: readonly Look[];
  /** Done at once whenever something in the database has changed. */
  readonly changed: (() => Promise<void>) | None;
  /** What an engine could not do as asked; its report says so. */
  readonly troubles: { readonly engine: string; list(): readonly string[] } | None;
  readonly stop: Stop | None;
};
