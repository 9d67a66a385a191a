'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { CodeEditorProps } from './code-editor-view';

/** An editor for code: a function, a query, a policy. */
export const CodeEditor = lazyPiece<CodeEditorProps>(
  () => import('./code-editor-view').then((module) => module.default),
  {
    outline: 'h-64 w-full rounded-md',
    label: 'code editor',
  },
);
