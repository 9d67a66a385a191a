'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { QueryFieldProps } from './query-field-view';

/** A field for a query in LogQL or PromQL. */
export const QueryField = lazyPiece<QueryFieldProps>(
  () => import('./query-field-view').then((module) => module.default),
  {
    outline: 'h-10 w-full rounded-md',
    label: 'query field',
  },
);
