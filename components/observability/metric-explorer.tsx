'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';

/** Charts of any metric in a project. */
export const MetricExplorer = lazyPiece<object>(
  () => import('./metric-explorer-view').then((module) => module.default),
  {
    outline: 'h-112 w-full rounded-lg',
    label: 'metric explorer',
  },
);
