'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { MarkdownTextProps } from './markdown-view';

/** Renders untrusted Markdown, also while it streams: a model's answer, a description. */
export const MarkdownText = lazyPiece<MarkdownTextProps>(
  () => import('./markdown-view').then((module) => module.default),
  {
    outline: 'h-24 w-full',
    label: 'text',
  },
);
