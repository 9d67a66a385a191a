import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { onChange } from '@/lib/core/db/changes';
import { none } from '@/lib/core/domains/portal';
import type { Watch } from '@/lib/core/domains/watch';
import { detailOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { reportEngines, reportHost, type Troubles } from './host-report';

const REPORT_MS = 10_000;
const PROBE_MS = 60_000;
const JOIN_AGAIN_MS = 15_000;

/**
 * Runs the agent of a cell: reports the cell's capacity, and runs the watches of the domains. Each cell has one, in its
 * worker.
 */
export function startHostAgent(cell: string, watches: readonly Watch[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  // Every look that pauses listens; Node warns at eleven.
  setMaxListeners(0, stopping.signal);
  const ended = lookAfterHost(cell, watches, stopping.signal).catch((error) =>
    log.error({ err: error }, 'the host agent ended'),
  );
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function lookAfterHost(cell: string, watches: readonly Watch[], signal: AbortSignal): Promise<void> {
  const troubles = watches.flatMap((watch) => (watch.troubles === none ? [] : [watch.troubles]));
  const troublesOf: Troubles = (engine) => troubles.flatMap((of) => (of.engine === engine ? of.list() : []));
  // Nothing is touched until the database is known to belong to this cell.
  for (let problem = await join(cell, watches); problem !== undefined; problem = await join(cell, watches)) {
    await reportEngines(cell, troublesOf, problem).catch((error) =>
      log.warn({ err: error }, 'the engines could not be probed'),
    );
    await pause(JOIN_AGAIN_MS, signal);
    if (signal.aborted) return;
  }
  const looks = watches.flatMap((watch) => watch.looks.map((look) => ({ ...look, begun: look.begin() })));
  const changes = watches.flatMap(({ changed }) => (changed === none ? [] : [onChange(changed)]));
  await Promise.all([
    every('probing the engines', PROBE_MS, signal, () => reportEngines(cell, troublesOf)),
    every('reporting the host', REPORT_MS, signal, () => reportHost(cell)),
    ...looks.map(({ name, every_ms, begun }) => every(name, every_ms, signal, () => begun.look(signal))),
  ]);
  await Promise.all([...changes.map((change) => change.stop()), ...looks.map(({ begun }) => begun.end?.())]);
}

/** The reason why this host cannot take part; undefined: none. */
async function join(cell: string, watches: readonly Watch[]): Promise<string | undefined> {
  try {
    await reportHost(cell);
    for (const watch of watches) if (watch.join !== none) await watch.join();
    return undefined;
  } catch (error) {
    log.error({ err: error }, 'this host cannot join the platform');
    return detailOf(error);
  }
}

/** Repeats work with this pause after each run. A failed run is retried the next time. */
async function every(name: string, ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => log.warn({ err: error }, `${name} failed`));
    await pause(ms, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
