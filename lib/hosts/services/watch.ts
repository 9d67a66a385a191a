import { none } from '@/lib/core/domains/portal';
import type { Watch } from '@/lib/core/domains/watch';
import { EgressProxies } from './egress';
import type { ServiceSource } from './engine';
import { keepServices, serviceTroubles, stopServices } from './keeper';
import { sampleServices } from './samples';

const KEEP_MS = 5_000;
const SAMPLE_MS = 15_000;

/** The services that domains want to run in a cell, for its agent. */
export const servicesWatch = (cell: string, sources: readonly ServiceSource[]): Watch => ({
  join: none,
  looks: [
    { name: 'keeping the services', every_ms: KEEP_MS, begin: () => keeping(cell, sources) },
    {
      name: 'sampling the services',
      every_ms: SAMPLE_MS,
      begin: () => ({ look: () => sampleServices(cell, sources) }),
    },
  ],
  changed: none,
  troubles: { engine: 'services', list: () => serviceTroubles(cell) },
  // The description of each service says how long it may take to end.
  stop: { stage: 'services', grace_s: 0, run: () => stopServices(cell, sources) },
});

/** Each domain's services have their ways out through proxies of the agent, which end with it. */
function keeping(cell: string, sources: readonly ServiceSource[]) {
  const ways = new Map(sources.map((source) => [source, new EgressProxies(cell)]));
  return {
    look: () => keepServices(cell, sources, ways),
    async end() {
      for (const way of ways.values()) await way.stop();
    },
  };
}
