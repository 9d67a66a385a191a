'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { YamlEditorProps } from './yaml-editor-view';

/** An editor for YAML: cloud-init, a workflow, a manifest. */
export const YamlEditor = lazyPiece<YamlEditorProps>(
  () => import('./yaml-editor-view').then((module) => module.default),
  {
    outline: 'h-64 w-full rounded-md',
    label: 'YAML editor',
  },
);
