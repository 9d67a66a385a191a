import { setTimeout as delay } from 'node:timers/promises';

/** Something that runs until it ends by itself or is stopped. */
export type Running = {
  /** Settles when it has ended, with why. */
  ended: Promise<string>;
  /** Ends it; settles when it has. Harmless when it already did. */
  stop(): Promise<void>;
};

/** Starts something; settles when it is up. An abort ends what it has begun. */
export type Launch = (signal: AbortSignal) => Promise<Running>;

/** Something that is started again whenever it ends. */
export type Kept = {
  /** Ends it for good. */
  stop(): Promise<void>;
  /** Ends it, to be started again at once. */
  restart(): Promise<void>;
};

const firstPauseMs = 100;
const longestPauseMs = 30_000;
const steadyMs = 60_000;

/**
 * Starts something and keeps it running: what ends is started again, at first at once, then after ever longer pauses.
 * Fails when the first launch does.
 * @param options.until when it aborts, nothing is started any more; what runs goes on until it is stopped
 */
export async function keepRunning(
  name: string,
  launch: Launch,
  { report, until }: { report: (message: string) => void; until: AbortSignal },
): Promise<Kept> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([until, stopping.signal]);
  let current = await launch(signal);
  let restarting = false;
  let pauseMs = firstPauseMs;

  const launchAgain = async (): Promise<Running | undefined> => {
    for (;;) {
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      try {
        return await launch(signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        report(`${name} could not be started: ${error instanceof Error ? error.message : error}`);
      }
    }
  };

  const watch = async () => {
    for (;;) {
      const upSince = Date.now();
      const reason = await current.ended;
      if (signal.aborted) return;
      if (restarting || Date.now() - upSince > steadyMs) pauseMs = firstPauseMs;
      if (!restarting) report(`${name} ended (${reason}); restarting it`);
      restarting = false;
      const next = await launchAgain();
      if (!next) return;
      current = next;
      if (signal.aborted) await next.stop();
    }
  };
  const watching = watch();

  return {
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
    },
    async restart() {
      restarting = true;
      await current.stop();
    },
  };
}
