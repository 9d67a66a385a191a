'use client';

import { ArrowRight, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNow } from '@/components/kit/data/clock';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import { useConfirm } from '@/components/kit/page/confirm';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Progress } from '@/components/kit/ui/progress';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { formatDuration } from '@/lib/format/time';
import { lossOf } from './candidate-cards';
import { engineLooks } from './engine-look';
import { StageTimeline } from './stage-timeline';
import { isRunning, type Job } from './types';
import { stageWords } from './upgrade-stages';

/** An upgrade as it happens, and afterwards: stages, log, measured pause, and the way back. */
export function UpgradeJob({ id }: { id: string }) {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/dbaas/jobs/{job_id}', { params: { path: { job_id: id } } });
  return (
    <Loaded query={query} what="The upgrade" skeleton={<Skeleton className="h-112 w-full rounded-lg" />}>
      {(job) => <UpgradeView job={job} rollBack={<RollBack job={job} />} />}
    </Loaded>
  );
}

/** One upgrade, of which `rollBack` is the button that takes it back. */
export function UpgradeView({ job, rollBack }: { job: Job; rollBack: ReactNode }) {
  return (
    <div className="space-y-5">
      <Headline job={job} />
      <Figures job={job} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <Card title="Stages">
          <StageTimeline job={job} />
        </Card>
        <div className="min-w-0 space-y-5">
          <WayBack job={job}>{rollBack}</WayBack>
          <LogViewer label="Upgrade log" text={textOf(job)} live={isRunning(job)} />
        </div>
      </div>
    </div>
  );
}

function Headline({ job }: { job: Job }) {
  const { engine, from_version, target_version, stage, progress, error } = job;
  const running = isRunning(job);
  return (
    <section aria-label="Progress" className="rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-2 font-semibold text-xl tracking-[-0.017em]">
          {engineLooks[engine].label} {from_version}
          <ArrowRight className="size-5 text-ink-subtle" aria-hidden="true" />
          <span className="sr-only">to</span> {target_version}
        </p>
        <StatusBadge status={stage} />
      </div>
      <p className="mt-1 text-pretty text-ink-muted text-sm" aria-live="polite">
        {stageWords[stage].about}
      </p>
      {running && <Progress label="Progress of the upgrade" share={progress / 100} className="mt-3" />}
      {error !== null && <p className="mt-3 text-pretty text-critical-ink text-sm wrap-anywhere">{error}</p>}
    </section>
  );
}

/** What the job measured; nothing is shown before it was. */
function Figures({ job: { pause_ms, failed_connections, rollback_pause_ms } }: { job: Job }) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-5">
      <Figure term={rollback_pause_ms === null ? 'Pause for clients' : 'Pauses for clients'}>
        {pause_ms === null ? 'Not yet' : <span className="whitespace-nowrap">{inMilliseconds(pause_ms)}</span>}
        {rollback_pause_ms !== null && (
          <>
            , <span className="whitespace-nowrap">back {inMilliseconds(rollback_pause_ms)}</span>
          </>
        )}
      </Figure>
      <Figure term="Ended connections">{countOf(failed_connections)}</Figure>
    </dl>
  );
}

/** As it was measured, not rounded: it is the number that an upgrade is judged by. */
const inMilliseconds = (pause: number) => `${formatNumber(pause)} ms`;

const countOf = (count: number | null) => (count === null ? 'Not yet' : formatNumber(count));

function Figure({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border bg-surface px-3 py-3 sm:px-4">
      <dt className="text-ink-muted text-xs">{term}</dt>
      <dd className="mt-0.5 font-semibold text-lg tabular-nums tracking-[-0.01em]">{children}</dd>
    </div>
  );
}

function WayBack({ job, children }: { job: Job; children: ReactNode }) {
  const { rollback, from_version, stage } = job;
  const now = useNow();
  const over = stage === 'rolled_back' || stage === 'rolling_back';
  if (over) return null;
  const left = rollback.until === null || now === undefined ? undefined : Date.parse(rollback.until) - now;
  return (
    <section
      aria-label="Roll back"
      className="flex flex-wrap items-center gap-x-6 gap-y-3 rounded-lg border bg-surface p-4"
    >
      <div className="min-w-0 flex-1 basis-64 text-sm">
        <p className="font-medium">
          {rollback.possible
            ? `Version ${from_version} can take over again`
            : `There is no way back to version ${from_version}`}
        </p>
        <p className="mt-0.5 text-pretty text-ink-muted">{wayBackWords(job, left)}</p>
      </div>
      {children}
    </section>
  );
}

function wayBackWords(job: Job, left: number | undefined): string {
  const { possible, loses, reason } = job.rollback;
  if (!possible) return reason ?? 'The time for it is over.';
  const time = isRunning(job)
    ? 'At any time during the upgrade.'
    : left === undefined
      ? ''
      : `${formatDuration(Math.max(0, left))} left.`;
  return `${time} ${loses === null ? 'Writes on the new version are kept.' : lossOf(loses)}`.trim();
}

function RollBack({ job }: { job: Job }) {
  const { api } = useProject();
  const confirm = useConfirm();
  const refusal = useRefusal();
  const back = api.useMutation('post', '/api/v1/dbaas/jobs/{job_id}/rollback');
  const { id, name, from_version, target_version, rollback } = job;
  const reason =
    refusal('rollBackDatabaseUpgrade') ?? (rollback.possible ? undefined : (rollback.reason ?? 'The time is over.'));
  return (
    <DisabledReason reason={reason}>
      <Button
        onClick={() =>
          confirm({
            title: `Roll ${name} back to ${from_version}?`,
            consequence: `Version ${from_version} takes over again, behind the same address. ${
              rollback.loses === null
                ? `What was written on version ${target_version} is kept.`
                : lossOf(rollback.loses)
            }`,
            confirmLabel: `Roll back to ${from_version}`,
            harmless: rollback.loses === null,
            onConfirm: () => back.mutateAsync({ params: { path: { job_id: id } } }),
          })
        }
      >
        <Undo2 /> Roll back to {from_version}
      </Button>
    </DisabledReason>
  );
}

/** The log as text, each line with its time in UTC; warnings and errors in their colours. */
function textOf({ logs }: Job): string {
  return logs.map(({ at, level, message }) => `${at.slice(11, 23)} ${coloured[level](message)}`).join('\n');
}

const ESC = String.fromCharCode(27);
const inColour = (code: number, word: string) => (message: string) => `${ESC}[${code}m${word}${ESC}[0m ${message}`;
const coloured: Record<Job['logs'][number]['level'], (message: string) => string> = {
  info: (message) => message,
  warning: inColour(33, 'WARNING'),
  error: inColour(31, 'ERROR'),
};
