import { none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import { observeStorage } from './observer';
import { sampleVolumes } from './telemetry';

const OBSERVE_MS = 30_000;
const SAMPLE_MS = 15_000;

export const storageWatch = (cell: string): Watch => ({
  join: none,
  looks: [
    { name: 'observing the volumes', every_ms: OBSERVE_MS, begin: () => ({ look: () => observeStorage(cell) }) },
    { name: 'sampling the volumes', every_ms: SAMPLE_MS, begin: () => ({ look: () => sampleVolumes(cell) }) },
  ],
  changed: none,
  troubles: none,
  stop: none,
});
