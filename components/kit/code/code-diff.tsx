'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { CodeDiffProps } from './code-diff-view';

/** The differences between two texts. */
export const CodeDiff = lazyPiece<CodeDiffProps>(() => import('./code-diff-view').then((module) => module.default), {
  outline: 'h-64 w-full rounded-md',
  label: 'comparison',
});
