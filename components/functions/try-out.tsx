'use client';

import { Play } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { InvocationOutcome } from './invocation-outcome';
import { TestEventEditor } from './test-event-editor';
import { payloadProblem, type TestEvent } from './test-events';
import { type CloudFunction, shortDuration } from './types';

/** Sends test events and shows what came of them. */
export function TryOut({ of, isDirty }: { of: CloudFunction; isDirty: boolean }) {
  const { api } = useProject();
  const refusal = useRefusal();
  const [event, setEvent] = useState<TestEvent>();
  const invoke = api.useMutation('post', '/api/v1/functions/{id}/invoke');
  const [shown, setShown] = useState<string>();
  const path = { id: of.id, invocation_id: shown ?? '' };
  const invocation = api.useQuery(
    'get',
    '/api/v1/functions/{id}/invocations/{invocation_id}',
    { params: { path } },
    { enabled: shown !== undefined },
  );
  const problem = event && payloadProblem(event.payload);
  const reason = refusal('invokeFunction') ?? problem ?? whyNotInvoke(of);
  const run = async () => {
    if (!event || reason) return;
    const answer = await invoke.mutateAsync({
      params: { path: { id: of.id } },
      body: { payload: JSON.parse(event.payload), mode: 'sync' },
    });
    setShown(answer.invocation_id);
  };
  const { data } = invocation;
  return (
    <section aria-label="Try out" className="grid items-start gap-5 *:min-w-0 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <Card
        title="Test event"
        actions={
          <DisabledReason reason={reason}>
            <Button size="sm" pending={invoke.isPending} onClick={() => void run().catch(() => {})}>
              <Play /> Invoke
            </Button>
          </DisabledReason>
        }
      >
        <TestEventEditor functionId={of.id} onChange={setEvent} />
        {isDirty && (
          <p className="mt-3 text-caution-ink text-xs">Invokes version {of.version}, without your changes.</p>
        )}
      </Card>
      <Card
        title="Outcome"
        aria-label="Outcome"
        actions={
          data && (
            <span className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 text-xs tabular-nums">
              <StatusBadge status={data.status} />
              {data.cold_start && <Badge>Cold start</Badge>}
              {data.duration_ms !== null && <span>{shortDuration(data.duration_ms)}</span>}
              {data.memory_mb !== null && <span className="text-ink-muted">{data.memory_mb} MB</span>}
            </span>
          )
        }
      >
        {invoke.error && <ErrorNotice title="The function could not be invoked" error={invoke.error} />}
        {data && !invoke.error && <InvocationOutcome invocation={data} />}
        {!data && !invoke.error && (
          <p className="py-8 text-center text-ink-muted text-sm">Result and log of the invocation appear here.</p>
        )}
      </Card>
    </section>
  );
}

const whyNotInvoke = ({ status, status_reason }: CloudFunction): string | undefined =>
  status === 'error' ? (status_reason ?? 'The function is in error.') : undefined;
