import { deletedAmong } from '@/lib/core/resources/strays';
import { engineOf } from '@/lib/engines/engines';
import { detailOf, EngineError, reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import type { EgressProxies } from './egress';
import type {
  ObservedService,
  ServiceEngine,
  ServiceReport,
  ServiceSource,
  ServiceSpec,
  WantedService,
} from './engine';

/** Services that are started at the same time: each start keeps a processor busy. */
const AT_ONCE = 4;

/** Strays that this process has stopped and whose data remain, by cell, for the engine's report. */
const strays = new Map<string, readonly string[]>();

/**
 * Makes the services of a cell what the domains want, once: after a crash or a reboot too, when nothing runs. A service
 * without a row is stopped and reported, and its data are kept, unless its deletion has ended. A domain whose rows can't
 * be read keeps everything as it is.
 */
export async function keepServices(
  cell: string,
  sources: readonly ServiceSource[],
  ways: WaysOut = new Map(),
): Promise<void> {
  const { services } = engineOf(cell);
  // Before the rows: a row is written before its service exists, so a service without one is a stray.
  const seen = await services.observeServices();
  const wanted = await Promise.all(sources.map((source) => source.wantedServices(cell)));
  const known = new Set(wanted.flat().map(({ spec }) => spec.id));
  const unknown = seen.filter(({ id }) => !known.has(id));
  strays.set(cell, await handleStrays(services, unknown));
  for (const [index, source] of sources.entries()) {
    const rows = wanted[index] ?? [];
    const reports = await ensureAll(
      services,
      rows.filter(({ isBusy }) => !isBusy),
    );
    const specs = rows.map(({ spec }) => spec);
    await keepWaysOut(source, specs, ways.get(source));
    await source.report?.(reports);
  }
}

/** The egress proxies of each domain's services, kept from look to look. */
export type WaysOut = ReadonlyMap<ServiceSource, EgressProxies>;

async function keepWaysOut(source: ServiceSource, specs: readonly ServiceSpec[], ways: EgressProxies | undefined) {
  if (!ways) return;
  await ways.ensure(specs);
  const counted = ways.take();
  if (counted.size === 0) return;
  await source.countEgress?.(counted).catch((error) => {
    ways.giveBack(counted);
    throw error;
  });
}

/**
 * Stops services without a row. A deletion may end between the moment when a look reads a row and the moment when it ensures
 * the service: that one is removed.
 * @returns the ids of services whose data are kept
 */
async function handleStrays(services: ServiceEngine, unknown: readonly ObservedService[]): Promise<string[]> {
  const deleted = await deletedAmong(unknown.map(({ id }) => id));
  const kept: string[] = [];
  for (const { id, power } of unknown) {
    try {
      if (deleted.has(id)) {
        log.warn({ service: id }, 'removing a service that was started again during its deletion');
        await services.removeService(id);
        continue;
      }
      kept.push(id);
      if (power === 'stopped') continue;
      log.warn({ service: id }, 'stopping a service without a row; its data are kept');
      await services.stopService(id);
    } catch (error) {
      // The next look tries again.
      log.warn({ err: error, service: id }, 'a stray service could be neither removed nor stopped');
    }
  }
  return kept;
}

async function ensureAll(services: ServiceEngine, wanted: readonly WantedService[]): Promise<ServiceReport[]> {
  const reports: ServiceReport[] = [];
  for (let first = 0; first < wanted.length; first += AT_ONCE) {
    const some = wanted.slice(first, first + AT_ONCE);
    reports.push(...(await Promise.all(some.map(({ spec }) => ensureOne(services, spec)))));
  }
  return reports;
}

async function ensureOne(services: ServiceEngine, spec: ServiceSpec): Promise<ServiceReport> {
  const { id } = spec;
  try {
    const answer = await services.ensureService(spec);
    return answer.settled ? { id, state: 'ready', reason: null } : { id, state: 'waiting', reason: answer.waits_for };
  } catch (error) {
    log.warn({ service: id, err: detailOf(error) }, 'a service could not be made what it should be');
    const reason = error instanceof EngineError ? reasonOf(error) : 'The service could not be started.';
    return { id, state: 'failed', reason };
  }
}

/** Stray services, for the report of the engine. */
export function serviceTroubles(cell: string): string[] {
  const ids = strays.get(cell) ?? [];
  return ids.length === 0 ? [] : [`Stopped services without a resource, whose data are kept: ${ids.join(', ')}.`];
}

/**
 * Stops all services of a cell, in the order of their domains; those without a row go first. Rows stay as they are,
 * so that everything starts again with the platform.
 */
export async function stopServices(cell: string, sources: readonly ServiceSource[]): Promise<void> {
  const { services } = engineOf(cell);
  const running = (await services.observeServices()).filter(({ power }) => power === 'running');
  if (running.length === 0) return;
  const ordered = [...sources].sort((one, other) => one.stopOrder - other.stopOrder);
  const groups = await Promise.all(ordered.map((source) => idsOf(cell, source)));
  const known = new Set(groups.flat());
  const unknown = running.map(({ id }) => id).filter((id) => !known.has(id));
  for (const group of [unknown, ...groups]) {
    const ids = group.filter((id) => running.some((service) => service.id === id));
    await Promise.all(ids.map((id) => stopOne(services, id)));
  }
}

const idsOf = async (cell: string, source: ServiceSource) =>
  (await source.wantedServices(cell)).map(({ spec }) => spec.id);

const stopOne = (services: ServiceEngine, id: string) =>
  services.stopService(id).catch((error) => log.warn({ err: error, service: id }, 'a service is still running'));

/** Bytes that running services hold in their state folders. */
export async function stateOfServices(cell: string): Promise<number> {
  const { services } = engineOf(cell);
  const running = (await services.observeServices()).filter(({ power }) => power === 'running');
  const samples = await Promise.all(running.map(({ id }) => services.sampleService(id)));
  return samples.reduce((sum, sample) => sum + (sample?.state?.usedBytes ?? 0), 0);
}
