'use client';

import { Play } from 'lucide-react';
import { useState } from 'react';
import { QueryField } from '@/components/kit/code/query-field';
import type { QueryFieldProps } from '@/components/kit/code/query-field-view';
import { Button } from '@/components/kit/ui/button';
import { problemOf } from './problem';

interface QueryRowProps extends Pick<QueryFieldProps, 'label' | 'language' | 'completion' | 'placeholder'> {
  query: string;
  error: unknown;
  pending: boolean;
  onRun: (query: string) => void;
}

/** The field of a query with its button, and what is wrong with the query. */
export function QueryRow({ query, error, pending, onRun, ...field }: QueryRowProps) {
  const [draft, setDraft] = useState({ query, text: query });
  // The builder, a filter or the back button may change the query.
  if (draft.query !== query) setDraft({ query, text: query });
  const problem = draft.text === query ? problemOf(error) : undefined;
  const run = () => onRun(draft.text.trim());
  return (
    <div>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <QueryField
            {...field}
            value={draft.text}
            onChange={(text) => setDraft({ query, text })}
            onRun={run}
            problem={problem}
          />
        </div>
        <Button variant="primary" size="lg" pending={pending} onClick={run}>
          <Play /> Run
        </Button>
      </div>
      {problem && (
        <p role="alert" className="mt-1.5 text-critical-ink text-sm">
          Line {problem.line}, column {problem.column}: {problem.message}
        </p>
      )}
    </div>
  );
}
