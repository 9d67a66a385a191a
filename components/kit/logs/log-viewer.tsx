'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { LogViewerProps } from './log-viewer-view';

/** A viewer for program output: a boot log, a run, a function. */
export const LogViewer = lazyPiece<LogViewerProps>(() => import('./log-viewer-view').then((module) => module.default), {
  outline: 'h-112 w-full rounded-md',
  label: 'log',
});
