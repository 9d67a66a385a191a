'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';

/** Who asks for what. `me`, `user:<id>` or `token:<id>`. */
export interface Question {
  identity: string;
  method: string;
  path: string;
}

/** An endpoint or an address of one, with its method: `GET /api/v1/vault/secrets`. */
export function requestOf(text: string): Pick<Question, 'method' | 'path'> | undefined {
  const [, method = 'GET', path] = /^(?:(get|post|put|patch|delete)\s+)?(\/\S*)$/i.exec(text) ?? [];
  return path === undefined ? undefined : { method: method.toUpperCase(), path };
}

/** The question in the page's address, so that its answer can be shown to somebody else. */
export function useQuestion(): { question: Question; ask: (change: Partial<Question>) => void } {
  const params = useSearchParams();
  const pathname = usePathname();
  return useMemo(() => {
    const question = {
      identity: params.get('identity') ?? 'me',
      method: params.get('method') ?? 'POST',
      path: params.get('path') ?? '',
    };
    return {
      question,
      ask: (change) =>
        window.history.replaceState(null, '', `${pathname}?${new URLSearchParams({ ...question, ...change })}`),
    };
  }, [params, pathname]);
}

/** How long a pause in typing is before the question counts as asked: every answer is on record. */
const TYPING_MS = 400;

/** The question once its writer has paused. */
export function useSettled(question: Question): Question {
  const [settled, setSettled] = useState(question);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(question), TYPING_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return settled;
}
