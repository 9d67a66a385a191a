import { clsx } from 'clsx';
import { Time } from '@/components/kit/data/time';
import { Badge, type Tone } from '@/components/kit/ui/badge';
import { Card } from '@/components/kit/ui/card';
import type { components } from '@/lib/client/schema';

type OperationDetails = components['schemas']['OperationDetails'];

/** The stages of an operation, and when each began. */
export function Transitions({ transitions, stage, finished_at }: OperationDetails) {
  return (
    <Card title="Stages">
      {transitions.length === 0 ? (
        <p className="text-ink-muted text-sm">Not started yet. First stage: {stage.replaceAll('_', ' ')}.</p>
      ) : (
        <ol aria-label="Stages" className="text-sm">
          {transitions.map((transition, position) => {
            const last = position === transitions.length - 1;
            return (
              <li key={`${transition.at} ${transition.stage}`} className="relative flex gap-3 pb-4 last:pb-0">
                {!last && <span aria-hidden="true" className="absolute top-4 bottom-0 left-1 w-px bg-line-strong/50" />}
                <span
                  aria-hidden="true"
                  className={clsx(
                    'mt-1.5 size-2 shrink-0 rounded-full',
                    last && finished_at === null ? 'bg-moving' : 'bg-line-strong',
                  )}
                />
                <span className="min-w-0 flex-1 break-words">{transition.stage.replaceAll('_', ' ')}</span>
                <span className="text-ink-muted text-xs">
                  <Time at={transition.at} form="exact" />
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}

const tones: Record<string, Tone> = { info: 'neutral', warning: 'caution', error: 'critical' };

/** What it said while it ran. */
export function OperationLog({ logs }: OperationDetails) {
  return (
    <Card title="Log" flush>
      {logs.length === 0 ? (
        <p className="p-4 text-ink-muted text-sm">No log entries.</p>
      ) : (
        <ol aria-label="Log" className="divide-y text-sm">
          {logs.map(({ at, level, stage, message }) => (
            <li key={`${at} ${stage} ${message}`} className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-2">
              <span className="flex w-full items-center gap-2 text-ink-muted text-xs sm:w-auto sm:basis-56">
                <Badge tone={tones[level] ?? 'neutral'}>{level}</Badge>
                <Time at={at} form="exact" />
              </span>
              <span className="min-w-0 flex-1 basis-80 break-words">
                {message}
                <span className="block text-ink-subtle text-xs">{stage.replaceAll('_', ' ')}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
