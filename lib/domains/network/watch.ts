import type { Watch } from '@/lib/core/domains/watch';
import { ServiceAddresses } from '@/lib/hosts/services/service-address';
import { ensureAllNetworking } from './project-networking';
import { sampleRouters } from './telemetry';
import { applyChanges, applyRouters, networkTroubles, removeRoutersWherePossible, wiredRouters } from './topology';

const REAPPLY_MS = 60_000;
const SAMPLE_MS = 15_000;

/** Only looks at what this process has applied. */
const ANSWER_MS = 1_000;

function answering(cell: string) {
  const addresses = new ServiceAddresses(cell);
  return { look: () => addresses.ensure(wiredRouters(cell)), end: () => addresses.stop() };
}

export const networkWatch = (cell: string): Watch => ({
  join: ensureAllNetworking,
  looks: [
    { name: 'applying the networks', every_ms: REAPPLY_MS, begin: () => ({ look: () => applyRouters(cell) }) },
    { name: 'sampling the networks', every_ms: SAMPLE_MS, begin: () => ({ look: () => sampleRouters(cell) }) },
    { name: 'answering at the service address', every_ms: ANSWER_MS, begin: () => answering(cell) },
  ],
  changed: () => applyChanges(cell),
  troubles: { engine: 'network', list: () => networkTroubles(cell) },
  stop: { stage: 'networks', grace_s: 0, run: () => removeRoutersWherePossible(cell) },
});
