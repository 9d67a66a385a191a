'use client';

import { clsx } from 'clsx';
import { Check, LoaderCircle, X } from 'lucide-react';
import { useNow } from '@/components/kit/data/clock';
import { Time } from '@/components/kit/data/time';
import { formatDuration } from '@/lib/format/time';
import type { Job } from './types';
import { type ShownStage, stageWords, timelineOf } from './upgrade-stages';

const stateWords = { done: 'done', now: 'in progress', later: 'pending', failed: 'failed' } as const;

/** The stages of an upgrade, one below the other, with when each began and how long it took. */
export function StageTimeline({ job }: { job: Job }) {
  const now = useNow();
  if (now === undefined) return null;
  return (
    <ol>
      {timelineOf(job, now).map((stage) => (
        <StageRow key={`${stage.stage} ${stage.at}`} {...stage} />
      ))}
    </ol>
  );
}

function StageRow({ stage, state, at, took_ms }: ShownStage) {
  const { title, about } = stageWords[stage];
  return (
    <li aria-current={state === 'now' ? 'step' : undefined} className="group relative flex gap-3 pb-5 last:pb-0">
      <span
        aria-hidden="true"
        className={clsx(
          'absolute top-5 bottom-0 left-2.5 w-px group-last:hidden',
          state === 'done' ? 'bg-positive' : 'bg-line-strong',
        )}
      />
      <StageDot state={state} />
      <div className="min-w-0 flex-1 text-sm">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className={clsx('font-medium', state === 'later' && 'text-ink-muted')}>
            {title}
            <span className="sr-only">, {stateWords[state]}</span>
          </span>
          {took_ms !== null && <span className="text-ink-muted text-xs tabular-nums">{formatDuration(took_ms)}</span>}
        </p>
        {state === 'now' && <p className="mt-0.5 text-pretty text-ink-muted text-xs">{about}</p>}
        {at !== null && state !== 'now' && (
          <p className="text-ink-subtle text-xs">
            <Time at={at} />
          </p>
        )}
      </div>
    </li>
  );
}

function StageDot({ state }: Pick<ShownStage, 'state'>) {
  return (
    <span
      className={clsx(
        'relative mt-px grid size-5 shrink-0 place-items-center rounded-full border',
        state === 'done' && 'border-transparent bg-positive-soft text-positive-ink',
        state === 'now' && 'border-moving bg-surface text-moving-ink',
        state === 'later' && 'border-line-strong bg-surface',
        state === 'failed' && 'border-transparent bg-critical-soft text-critical-ink',
      )}
    >
      {state === 'done' && <Check className="size-3" aria-hidden="true" />}
      {state === 'now' && <LoaderCircle className="size-3 animate-spin [animation-duration:2s]" aria-hidden="true" />}
      {state === 'failed' && <X className="size-3" aria-hidden="true" />}
    </span>
  );
}
