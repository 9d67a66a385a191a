'use client';

import { type CompletionSource, closeCompletion } from '@codemirror/autocomplete';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, type EditorView, keymap, Prec } from '@uiw/react-codemirror';
import { useEffect, useMemo, useRef, useState } from 'react';
import CodeEditorView from './code-editor-view';
import type { CodeLanguage } from './languages';

/** Something wrong in a query; line and column start at 1. */
export interface QueryProblem {
  line: number;
  column: number;
  message: string;
}

export interface QueryFieldProps {
  /** Name of the field: "Query". */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Enter runs the query; Shift-Enter starts a new line. */
  onRun: () => void;
  language: CodeLanguage;
  completion: CompletionSource;
  /** Marked in the text until it changes. */
  problem?: QueryProblem | undefined;
  placeholder?: string;
}

/** A field for a query, with syntax, completion and the place of an error. */
export default function QueryFieldView(props: QueryFieldProps) {
  const { label, value, onChange, onRun, language, completion, problem, placeholder } = props;
  const [editor, setEditor] = useState<EditorView>();
  const run = useRef(onRun);
  run.current = onRun;
  const extensions = useMemo(
    () => [
      EditorState.languageData.of(() => [{ autocomplete: completion }]),
      Prec.high(
        keymap.of([
          {
            key: 'Enter',
            run: (view) => {
              closeCompletion(view);
              run.current();
              return true;
            },
          },
        ]),
      ),
    ],
    [completion],
  );
  useEffect(() => {
    if (!editor) return;
    const { state } = editor;
    editor.dispatch(setDiagnostics(state, problem ? [{ ...placeOf(problem, state), ...described(problem) }] : []));
  }, [editor, problem]);
  return (
    <CodeEditorView
      field
      wrap
      label={label}
      value={value}
      onChange={onChange}
      language={language}
      placeholder={placeholder}
      extensions={extensions}
      onEditor={setEditor}
    />
  );
}

const described = ({ message }: QueryProblem) => ({ message, severity: 'error' as const });

/** The word at the place of a problem, or one character. */
function placeOf({ line, column }: QueryProblem, { doc }: EditorState): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const start = Math.min(from + column - 1, to);
  const word = /^\w+/.exec(text.slice(start - from))?.[0] ?? ' ';
  const end = Math.min(start + word.length, to);
  // An end of text has no character to mark: the one before it is.
  return end > start ? { from: start, to: end } : { from: Math.max(from, start - 1), to: start };
}
