'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { GraphProps } from './graph-view';

/** Steps of a workflow, or anything else whose parts follow from each other. */
export const Graph = lazyPiece<GraphProps>(() => import('./graph-view').then((module) => module.default), {
  outline: 'h-96 w-full rounded-md',
  label: 'graph',
});
