'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { GraphProps } from './graph-view';

/** A directed graph, such as the steps of a workflow. */
export const Graph = lazyPiece<GraphProps>(() => import('./graph-view').then((module) => module.default), {
  outline: 'h-96 w-full rounded-md',
  label: 'graph',
});
