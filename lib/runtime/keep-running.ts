import { setTimeout as delay } from 'node:timers/promises';

/** A process that runs until it ends or is stopped. */
export type Running = {
  /** Settles with the reason when it has ended. */
  ended: Promise<string>;
  /** Stops it; settles when it has ended. Safe to call repeatedly. */
  stop(): Promise<void>;
};

/** Starts a process; settles when it is up. An abort ends a started process. */
export type Launch = (signal: AbortSignal) => Promise<Running>;

/** A process that is restarted whenever it ends. */
export type Kept = {
  /** Stops it permanently. */
  stop(): Promise<void>;
  /** Stops it and starts it again at once. */
  restart(): Promise<void>;
};

const firstPauseMs = 100;
const longestPauseMs = 30_000;
const steadyMs = 60_000;

/**
 * Starts a process and keeps it running: it is restarted when it ends, at first immediately, then with growing pauses.
 * Fails when the first launch does.
 * @param options.until when it aborts, nothing is restarted; running processes continue until stopped
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
