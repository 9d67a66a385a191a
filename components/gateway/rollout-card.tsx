'use client';

import { clsx } from 'clsx';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Badge } from '@/components/kit/ui/badge';
import { Card } from '@/components/kit/ui/card';
import type { Route } from './types';

type Rollout = NonNullable<Route['rollout']>;

const states = {
  running: { label: 'Running', tone: 'moving' },
  completed: { label: 'Completed', tone: 'positive' },
  rolled_back: { label: 'Rolled back', tone: 'critical' },
  stopped: { label: 'Stopped', tone: 'neutral' },
} as const;

/** How far a rollout is, and why it went back. */
export function RolloutCard({ route, rollout }: { route: Route; rollout: Rollout }) {
  const { to, steps, step, state, interval_s, step_started_at, reason } = rollout;
  const { abort_above_errors_percent, abort_above_p99_ms } = rollout;
  const look = states[state];
  const seen = route.traffic.find(({ backend }) => backend === to);
  return (
    <Card title={`Rollout to ${to}`}>
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone={look.tone}>{look.label}</Badge>
          {reason && <span className="text-pretty text-sm">{reason}</span>}
        </div>
        <ol className="flex flex-wrap gap-2" aria-label="Steps">
          {steps.map((percent, index) => {
            const isDone = state === 'completed' || index < step - 1;
            const isCurrent = state === 'running' && index === step - 1;
            return (
              <li
                key={percent}
                aria-current={isCurrent ? 'step' : undefined}
                className={clsx(
                  'rounded-md border px-3 py-1.5 text-sm tabular-nums',
                  isDone && 'border-positive text-positive-ink',
                  isCurrent && 'border-accent font-medium',
                  !isDone && !isCurrent && 'text-ink-muted',
                )}
              >
                {percent}%
              </li>
            );
          })}
        </ol>
        <PropertyList
          items={[
            ['Each step', `${interval_s} s`],
            ['Step began', <Time key="began" at={step_started_at} form="exact" />],
            [
              'Goes back above',
              `${abort_above_errors_percent}% errors${abort_above_p99_ms === null ? '' : ` or ${abort_above_p99_ms} ms`}`,
            ],
            [
              'Last five minutes',
              seen && seen.requests > 0
                ? `${seen.errors_percent.toFixed(1)}% errors of ${seen.requests}, ${seen.p99_ms ?? 0} ms`
                : 'No requests',
            ],
          ]}
        />
      </div>
    </Card>
  );
}
