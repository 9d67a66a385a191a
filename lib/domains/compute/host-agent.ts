import { setTimeout as delay } from 'node:timers/promises';
import { onChange } from '@/lib/core/db/changes';
import { observeImages } from '@/lib/domains/images/observer';
import { ensureAllNetworking } from '@/lib/domains/network/project-networking';
import { applyChanges, applyRouters } from '@/lib/domains/network/topology';
import { observeStorage } from '@/lib/domains/storage/observer';
import { detailOf } from '@/lib/engines/error';
import { EgressProxies } from '@/lib/hosts/services/egress';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { keepServices } from '@/lib/hosts/services/keeper';
import { log } from '@/lib/log';
import { reportEngines, reportHost } from './host-report';
import { Observer } from './observer';
import { sampleInstances } from './telemetry';

const OBSERVE_MS = 5_000;
const OBSERVE_DISKS_MS = 30_000;
const SAMPLE_MS = 15_000;
const REPORT_MS = 10_000;
const PROBE_MS = 60_000;
const REAPPLY_MS = 60_000;
const JOIN_AGAIN_MS = 15_000;

/**
 * Looks after this host: reports what it can bear, keeps its networking, machines and services what the database says, samples
 * them. One a host, in its worker.
 */
export function startHostAgent(services: readonly ServiceSource[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = lookAfterHost(services, stopping.signal).catch((error) =>
    log.error({ err: error }, 'the host agent ended'),
  );
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function lookAfterHost(services: readonly ServiceSource[], signal: AbortSignal): Promise<void> {
  // Until the database and this host are known to belong together, nothing here is touched.
  for (let problem = await join(); problem !== undefined; problem = await join()) {
    await reportEngines(problem).catch((error) => log.warn({ err: error }, 'the engines could not be probed'));
    await pause(JOIN_AGAIN_MS, signal);
    if (signal.aborted) return;
  }
  const observer = new Observer();
  const changes = onChange(applyChanges);
  const ways = new Map(services.map((source) => [source, new EgressProxies()]));
  await Promise.all([
    every('probing the engines', PROBE_MS, signal, () => reportEngines()),
    every('reporting the host', REPORT_MS, signal, reportHost),
    every('applying the networks', REAPPLY_MS, signal, applyRouters),
    every('observing the machines', OBSERVE_MS, signal, () => observer.look()),
    every('keeping the services', OBSERVE_MS, signal, () => keepServices(services, ways)),
    every('observing the volumes', OBSERVE_DISKS_MS, signal, observeStorage),
    every('observing the images', OBSERVE_DISKS_MS, signal, observeImages),
    every('sampling the machines', SAMPLE_MS, signal, sampleInstances),
  ]);
  await changes.stop();
  for (const way of ways.values()) await way.stop();
}

/** What keeps this host from taking part; undefined: nothing. */
async function join(): Promise<string | undefined> {
  try {
    await reportHost();
    await ensureAllNetworking();
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
