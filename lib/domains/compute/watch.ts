import { none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import { Observer } from './observer';
import { powerDownGuests } from './power-down';
import { sampleInstances } from './telemetry';

const OBSERVE_MS = 5_000;
const SAMPLE_MS = 15_000;
/** How long a guest may take to answer its power button. */
const GUEST_S = 20;

export const computeWatch = (cell: string): Watch => ({
  join: none,
  looks: [
    { name: 'observing the machines', every_ms: OBSERVE_MS, begin: () => new Observer(cell) },
    { name: 'sampling the machines', every_ms: SAMPLE_MS, begin: () => ({ look: () => sampleInstances(cell) }) },
  ],
  changed: none,
  troubles: none,
  stop: { stage: 'machines', grace_s: GUEST_S, run: (grace_s) => powerDownGuests(cell, grace_s) },
});
