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
 * Looks after the cell of this process: reports what it can bear, and does what the domains have it look after. One a
 * cell, in its worker.
 */
export function startHostAgent(watches: readonly Watch[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = lookAfterHost(watches, stopping.signal).catch((error) =>
    log.error({ err: error }, 'the host agent ended'),
  );
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function lookAfterHost(watches: readonly Watch[], signal: AbortSignal): Promise<void> {
  const troubles = watches.flatMap((watch) => (watch.troubles === none ? [] : [watch.troubles]));
  const troublesOf: Troubles = (engine) => troubles.flatMap((of) => (of.engine === engine ? of.list() : []));
  // Until the database and this host are known to belong together, nothing here is touched.
  for (let problem = await join(watches); problem !== undefined; problem = await join(watches)) {
    await reportEngines(troublesOf, problem).catch((error) =>
      log.warn({ err: error }, 'the engines could not be probed'),
    );
    await pause(JOIN_AGAIN_MS, signal);
    if (signal.aborted) return;
  }
  const looks = watches.flatMap((watch) => watch.looks.map((look) => ({ ...look, begun: look.begin() })));
  const changes = watches.flatMap(({ changed }) => (changed === none ? [] : [onChange(changed)]));
  await Promise.all([
    every('probing the engines', PROBE_MS, signal, () => reportEngines(troublesOf)),
    every('reporting the host', REPORT_MS, signal, reportHost),
    ...looks.map(({ name, every_ms, begun }) => every(name, every_ms, signal, () => begun.look())),
  ]);
  await Promise.all([...changes.map((change) => change.stop()), ...looks.map(({ begun }) => begun.end?.())]);
}

/** What keeps this host from taking part; undefined: nothing. */
async function join(watches: readonly Watch[]): Promise<string | undefined> {
  try {
    await reportHost();
    for (const watch of watches) if (watch.join !== none) await watch.join();
    return undefined;
  } catch (error) {
    log.error({ err: error }, 'this host cannot join the platform');
    return detailOf(error);
  }
}

/** Does work again and again, the next time so long after the last has ended. What fails is tried the next time. */
async function every(name: string, ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => log.warn({ err: error }, `${name} failed`));
    await pause(ms, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
