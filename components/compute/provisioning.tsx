'use client';

import { useNow } from '@/components/kit/data/clock';
import { type Stage, StageList } from '@/components/kit/data/stage-list';
import { type Row, useList } from '@/lib/client/list';
import { formatDuration } from '@/lib/format/time';
import type { Instance } from './instance-actions';
import { provisioningStages, type StageName } from './provisioning-stages';

const words: Record<StageName, Stage> = {
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
      <StageList stages={provisioningStages.map((stage) => words[stage])} at={at} />
      {instance.status_reason && <p className="mt-3 text-pretty text-ink-muted">{instance.status_reason}</p>}
    </section>
  );
}

function Elapsed({ operation }: { operation: Row<'/api/v1/operations'> }) {
  const now = useNow();
  if (now === undefined) return null;
  const since = now - Date.parse(operation.created_at);
  return since < 5000 ? null : <span className="text-ink-muted text-xs tabular-nums">for {formatDuration(since)}</span>;
}
