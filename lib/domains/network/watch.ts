import type { Watch } from '@/lib/core/domains/watch';
import { ensureAllNetworking } from './project-networking';
import { applyChanges, applyRouters, networkTroubles, removeRoutersWherePossible } from './topology';

const REAPPLY_MS = 60_000;

export const networkWatch = (cell: string): Watch => ({
  join: ensureAllNetworking,
  looks: [{ name: 'applying the networks', every_ms: REAPPLY_MS, begin: () => ({ look: () => applyRouters(cell) }) }],
  changed: () => applyChanges(cell),
  troubles: { engine: 'network', list: () => networkTroubles(cell) },
  stop: { stage: 'networks', grace_s: 0, run: () => removeRoutersWherePossible(cell) },
});
