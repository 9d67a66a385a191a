import { none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import { observeImages } from './observer';

const OBSERVE_MS = 30_000;

export const imagesWatch = (cell: string): Watch => ({
  join: none,
  looks: [{ name: 'observing the images', every_ms: OBSERVE_MS, begin: () => ({ look: () => observeImages(cell) }) }],
  changed: none,
  troubles: none,
  stop: none,
});
