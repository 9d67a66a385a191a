'use client';

import { linter, lintGutter } from '@codemirror/lint';
import type { EditorView } from '@uiw/react-codemirror';
import { CircleAlert } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { CodeEditorProps } from './code-editor-view';
import CodeEditorView from './code-editor-view';
import { type YamlProblem, yamlProblems } from './yaml-problems';

export type YamlEditorProps = Omit<CodeEditorProps, 'language'>;

/** A short list is enough: the first problem causes most others. */
const SHOWN = 5;

/** A YAML editor that marks problems at their lines and lists them below, with links. */
export default function YamlEditorView(props: YamlEditorProps) {
  const [view, setView] = useState<EditorView>();
  const extensions = useMemo(() => [lintGutter(), marks], []);
  const text = useDeferredValue(props.value);
  const problems = useMemo(() => yamlProblems(text), [text]);
  return (
    <div>
      <CodeEditorView {...props} language="yaml" extensions={extensions} onEditor={setView} />
      <ul aria-live="polite" aria-label={`Problems in ${props.label}`} className="mt-1 space-y-1 text-xs empty:hidden">
        {problems.slice(0, SHOWN).map((problem) => (
          <li key={`${problem.from} ${problem.message}`}>
            <button
              type="button"
              onClick={() => view && goTo(view, problem)}
              className="flex items-start gap-1.5 rounded-sm text-left text-critical-ink hover:underline"
            >
              <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden="true" />
              <span>
                Line {problem.line}, column {problem.column}: {problem.message}
              </span>
            </button>
          </li>
        ))}
        {problems.length > SHOWN && <li className="text-ink-muted">{problems.length - SHOWN} more problems</li>}
      </ul>
    </div>
  );
}

const marks = linter(
  ({ state }) =>
    yamlProblems(state.doc.toString()).map(({ from, to, message }) => ({ from, to, message, severity: 'error' })),
  { delay: 200 },
);

function goTo(view: EditorView, { from }: YamlProblem): void {
  view.dispatch({ selection: { anchor: Math.min(from, view.state.doc.length) }, scrollIntoView: true });
  view.focus();
}
