'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { MarkdownTextProps } from './markdown-view';

/** Markdown that others wrote, as it comes: an answer of a model, a description. */
export const MarkdownText = lazyPiece<MarkdownTextProps>(
  () => import('./markdown-view').then((module) => module.default),
  {
    outline: 'h-24 w-full',
    label: 'text',
  },
);
