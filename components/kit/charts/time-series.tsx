'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { TimeSeriesProps } from './time-series-view';

/** Values over time, with one cursor for all charts of a group. */
export const TimeSeries = lazyPiece<TimeSeriesProps>(
  () => import('./time-series-view').then((module) => module.default),
  {
    outline: 'h-50 w-full',
    label: 'chart',
  },
);
