import { clsx } from 'clsx';
import { Check, LoaderCircle } from 'lucide-react';

export interface Stage {
  title: string;
  about: string;
}

interface StageListProps {
  stages: readonly Stage[];
  /** The position of the current stage; -1 before the first. */
  at: number;
}

/** The stages of long work: those that are done, the current one, and those to come. */
export function StageList({ stages, at }: StageListProps) {
  return (
    <ol className="mt-3 grid gap-3 sm:grid-cols-3">
      {stages.map(({ title, about }, position) => {
        const state = position < at ? 'done' : position === at ? 'now' : 'later';
        return (
          <li key={title} aria-current={state === 'now' ? 'step' : undefined} className="flex gap-2.5">
            <span
              className={clsx(
                'mt-px grid size-5 shrink-0 place-items-center rounded-full border',
                state === 'done' && 'border-transparent bg-positive-soft text-positive-ink',
                state === 'now' && 'border-moving text-moving-ink',
                state === 'later' && 'border-line-strong text-ink-subtle',
              )}
            >
              {state === 'done' ? (
                <Check className="size-3" aria-hidden="true" />
              ) : state === 'now' ? (
                <LoaderCircle className="size-3 animate-spin [animation-duration:2s]" aria-hidden="true" />
              ) : (
                <span className="text-2xs tabular-nums">{position + 1}</span>
              )}
            </span>
            <span className="min-w-0">
              <span className={clsx('font-medium', state === 'later' && 'text-ink-muted')}>
                {title}
                <span className="sr-only">{stateWords[state]}</span>
              </span>
              <span className="block text-ink-muted text-xs">{about}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const stateWords = { done: ', done', now: ', in progress', later: ', pending' } as const;
