'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { TimeSeriesProps } from './time-series-view';

/** A chart of values over time; all charts of a group share a cursor. */
export const TimeSeries = lazyPiece<TimeSeriesProps>(
  () => import('./time-series-view').then((module) => module.default),
  {
    outline: 'h-50 w-full',
    label: 'chart',
  },
);
