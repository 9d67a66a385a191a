'use client';

import { clsx } from 'clsx';
import { Check, LoaderCircle } from 'lucide-react';
import { useNow } from '@/components/kit/data/clock';
import { type Row, useList } from '@/lib/client/list';
import { formatDuration } from '@/lib/format/time';
import type { Instance } from './instance-actions';
import { provisioningStages, type StageName } from './provisioning-stages';

const words: Record<StageName, { title: string; about: string }> = {
  image: { title: 'Preparing image', about: 'Fetched on first use' },
  network: { title: 'Configuring network', about: 'IP addresses, DNS and security groups' },
  machine: { title: 'Booting', about: 'Boot disk, then first boot' },
};

/** Progress of an instance that is being created or rebuilt. Renders nothing otherwise. */
export function Provisioning({ instance }: { instance: Instance }) {
  const on = instance.status === 'provisioning' || instance.status === 'rebuilding';
  return on ? <Stages instance={instance} /> : null;
}

function Stages({ instance }: { instance: Instance }) {
  const list = useList('/api/v1/operations', { resource_id: instance.id, limit: 1 });
  const operation = list.data?.rows[0];
  const order: readonly string[] = provisioningStages;
  const at = order.indexOf(operation?.stage ?? '');
  return (
    <section
      aria-label="Progress"
      aria-live="polite"
      className="mb-5 rounded-lg border border-moving/35 bg-moving-soft p-4 text-sm"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-medium">{instance.status === 'rebuilding' ? 'Rebuilding' : 'Creating'}</h2>
        {operation && <Elapsed operation={operation} />}
      </div>
      <ol className="mt-3 grid gap-3 sm:grid-cols-3">
        {provisioningStages.map((stage, position) => {
          const state = position < at ? 'done' : position === at ? 'now' : 'later';
          return (
            <li key={stage} aria-current={state === 'now' ? 'step' : undefined} className="flex gap-2.5">
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
                  {words[stage].title}
                  <span className="sr-only">{stateWords[state]}</span>
                </span>
                <span className="block text-ink-muted text-xs">{words[stage].about}</span>
              </span>
            </li>
          );
        })}
      </ol>
      {instance.status_reason && <p className="mt-3 text-pretty text-ink-muted">{instance.status_reason}</p>}
    </section>
  );
}

const stateWords = { done: ', done', now: ', in progress', later: ', pending' } as const;

function Elapsed({ operation }: { operation: Row<'/api/v1/operations'> }) {
  const now = useNow();
  if (now === undefined) return null;
  const since = now - Date.parse(operation.created_at);
  return since < 5000 ? null : <span className="text-ink-muted text-xs tabular-nums">for {formatDuration(since)}</span>;
}
