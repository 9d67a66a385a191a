'use client';

import CodeMirror, { EditorView, type Extension } from '@uiw/react-codemirror';
import { clsx } from 'clsx';
import { useId, useMemo } from 'react';
import { codeTheme } from './code-theme';
import type { CodeLanguage } from './languages';
import { useLanguage } from './use-language';

export interface CodeEditorProps {
  /** Name of the text: "Function code". */
  label: string;
  value: string;
  /** Omit it for a read-only text. */
  onChange?: (value: string) => void;
  language?: CodeLanguage;
  placeholder?: string;
  /** Fills its parent instead of growing with the text. */
  fill?: boolean;
  wrap?: boolean;
}

interface ViewProps extends CodeEditorProps {
  /** A form field such as a query: as high as its text, without line numbers, and Tab leaves it. */
  field?: boolean;
  /** A new array recreates the editor. */
  extensions?: readonly Extension[];
  onEditor?: (editor: EditorView) => void;
}

const none: readonly Extension[] = [];

/** A code editor with syntax, search (Ctrl-F) and folding. Tab indents; Esc, then Tab leaves the editor. */
export default function CodeEditorView(props: ViewProps) {
  const { label, value, onChange, language = 'text', placeholder, fill = false, wrap = false } = props;
  const readOnly = onChange === undefined;
  const { field = false, extensions = none, onEditor } = props;
  const indents = !readOnly && !field;
  const hint = useId();
  const syntax = useLanguage(language);
  const all = useMemo(
    () => [
      codeTheme,
      EditorView.contentAttributes.of({
        'aria-label': label,
        tabindex: '0',
        ...(readOnly && { 'aria-readonly': 'true' }),
        ...(indents && { 'aria-describedby': hint }),
      }),
      wrap ? EditorView.lineWrapping : none,
      syntax,
      ...extensions,
    ],
    [label, hint, readOnly, indents, wrap, syntax, extensions],
  );
  return (
    <div className={clsx('group/editor relative', fill && 'flex h-full min-h-0 flex-col')}>
      <div className={clsx('overflow-hidden rounded-md border', fill && 'min-h-0 flex-1')}>
        <CodeMirror
          value={value}
          onChange={onChange}
          readOnly={readOnly}
          placeholder={placeholder}
          theme="none"
          onCreateEditor={onEditor}
          extensions={all}
          className={fill ? 'h-full' : undefined}
          height={fill ? '100%' : undefined}
          minHeight={fill || field ? undefined : '6rem'}
          maxHeight={fill ? undefined : field ? '12rem' : '32rem'}
          indentWithTab={!field}
          basicSetup={{
            highlightActiveLine: false,
            autocompletion: true,
            ...(field && { lineNumbers: false, foldGutter: false }),
          }}
        />
      </div>
      {indents && (
        <p
          id={hint}
          className="pointer-events-none absolute right-1.5 bottom-1.5 rounded-sm bg-sunken px-1.5 text-2xs text-ink-muted opacity-0 group-focus-within/editor:opacity-100"
        >
          Tab indents. Press Esc, then Tab to leave the editor.
        </p>
      )}
    </div>
  );
}
