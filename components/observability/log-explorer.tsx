'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { LogExplorerProps } from './log-explorer-view';

/** Search in the logs of a project, or of one resource. */
export const LogExplorer = lazyPiece<LogExplorerProps>(
  () => import('./log-explorer-view').then((module) => module.default),
  { outline: 'h-112 w-full rounded-lg', label: 'log explorer' },
);
