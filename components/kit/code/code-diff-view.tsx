'use client';

import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, EditorView, type Extension, lineNumbers } from '@uiw/react-codemirror';
import { useEffect } from 'react';
import { useWidth } from '@/components/kit/ui/use-width';
import { codeTheme, labelled } from './code-theme';
import type { CodeLanguage } from './languages';
import { useLanguage } from './use-language';

export interface CodeDiffProps {
  /** Name of the text: "Function code". */
  label: string;
  before: string;
  after: string;
  language?: CodeLanguage;
}

/** Below this width both versions share one column. */
const SIDE_BY_SIDE_PX = 720;

const diffLook = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--critical-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--positive-soft)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklch, var(--critical) 22%, transparent)',
  },
  '&.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText': {
    background: 'color-mix(in oklch, var(--positive) 22%, transparent)',
  },
  // On a coloured background only plain text is readable in both themes.
  '.cm-changedLine span, .cm-insertedLine span, .cm-deletedChunk span': { color: 'var(--ink)' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--ink-muted)',
    fontFamily: 'var(--font-sans)',
    padding: '0.125rem 0.75rem',
  },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: 'none' },
  '.cm-changeGutter': { width: '3px', paddingLeft: '1px' },
});

const collapseUnchanged = { margin: 3, minSize: 6 };

/** Two versions of a text: side by side if there is room, otherwise in one column. */
export default function CodeDiffView({ label, before, after, language = 'text' }: CodeDiffProps) {
  const [box, width] = useWidth();
  const syntax = useLanguage(language);
  const sideBySide = width >= SIDE_BY_SIDE_PX;
  const measured = width > 0;
  const equal = before === after;
  useEffect(() => {
    const parent = box.current;
    if (!parent || !measured || equal) return;
    const reading = (name: string): Extension => [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.lineWrapping,
      codeTheme,
      diffLook,
      labelled(name),
      syntax,
    ];
    const view = sideBySide
      ? new MergeView({
          parent,
          a: { doc: before, extensions: reading(`${label}, before`) },
          b: { doc: after, extensions: reading(`${label}, after`) },
          collapseUnchanged,
        })
      : new EditorView({
          parent,
          doc: after,
          extensions: [
            reading(`${label}, changes`),
            // Fragments of a text cannot be parsed reliably.
            unifiedMergeView({
              original: before,
              mergeControls: false,
              syntaxHighlightDeletions: false,
              collapseUnchanged,
            }),
          ],
        });
    return () => view.destroy();
  }, [box, label, before, after, syntax, sideBySide, measured, equal]);
  return (
    <div ref={box} className="max-h-128 overflow-auto rounded-md border bg-surface">
      {equal && <p className="px-4 py-8 text-center text-ink-muted text-sm">No changes</p>}
    </div>
  );
}
