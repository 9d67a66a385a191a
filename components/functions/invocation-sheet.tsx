'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { InvocationOutcome } from './invocation-outcome';
import { type CloudFunction, type InvocationSummary, shortDuration, triggerNames } from './types';

interface InvocationSheetProps {
  of: CloudFunction;
  invocation: InvocationSummary;
  close: () => void;
}

/** One invocation: its event, what came of it, and its log. */
export function InvocationSheet({ of, invocation: { id }, close }: InvocationSheetProps) {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/functions/{id}/invocations/{invocation_id}', {
    params: { path: { id: of.id, invocation_id: id } },
  });
  return (
    <Dialog open onOpenChange={(open) => open || close()} form="sheet" size="lg" title={`Invocation of ${of.name}`}>
      <Loaded query={query} what="The invocation" skeleton={<Skeleton className="h-96 w-full rounded-md" />}>
        {(invocation) => (
          <div className="space-y-6">
            <PropertyList
              items={[
                ['Status', <StatusBadge key="status" status={invocation.status} />],
                ['Invocation ID', <Id key="id" value={invocation.id} label="invocation ID" />],
                ['Trigger', triggerNames[invocation.trigger]],
                ['Mode', invocation.mode === 'sync' ? 'Synchronous' : 'Asynchronous'],
                ['Version', invocation.version === null ? undefined : String(invocation.version)],
                ['Attempts', String(invocation.attempts)],
                ['Duration', invocation.duration_ms === null ? undefined : shortDuration(invocation.duration_ms)],
                ['Memory', invocation.memory_mb === null ? undefined : `${invocation.memory_mb} MB`],
                ['Start', invocation.cold_start === null ? undefined : invocation.cold_start ? 'Cold' : 'Warm'],
                ['Time', <Time key="at" at={invocation.created_at} form="exact" />],
                [
                  'Next attempt',
                  invocation.next_attempt_at === null ? undefined : (
                    <Time key="next" at={invocation.next_attempt_at} form="exact" />
                  ),
                ],
              ]}
            />
            <section className="space-y-2">
              <h3 className="font-semibold text-sm">Event</h3>
              <CodeBlock label="event" code={JSON.stringify(invocation.payload, null, 2) ?? 'null'} />
            </section>
            <InvocationOutcome invocation={invocation} stacked />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
