'use client';

import { RotateCcw } from 'lucide-react';
import { use } from 'react';
import { operations } from '@/components/backoffice/navigation';
import { OperationFacts } from '@/components/backoffice/operation-facts';
import { OperationLog, Transitions } from '@/components/backoffice/operation-history';
import { type Operation, useRetryOperation } from '@/components/backoffice/retry-operation';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Button } from '@/components/kit/ui/button';
import { useBackOffice } from '@/lib/client/backoffice';
import { readOperation } from '@/lib/client/operations/backoffice';

/** One operation: how far it is, what it said, and another try. */
export default function OperationPage({ params }: { params: Promise<{ operation: string }> }) {
  const { operation: id } = use(params);
  const { api } = useBackOffice();
  const query = api.useQuery('get', '/admin/api/v1/operations/{id}', { params: { path: { id } } });
  const retry = useRetryOperation();
  return (
    <ResourcePage
      of={operations}
      query={query}
      get={readOperation}
      title={({ kind }) => kind}
      buttons={(operation) => (
        <DisabledReason reason={operation.retry_refusal ?? undefined}>
          {/* A refusal shows below; here it only must not count as unhandled. */}
          <Button variant="primary" pending={retry.pending} onClick={() => void retry.run(operation).catch(() => {})}>
            <RotateCcw /> Retry
          </Button>
        </DisabledReason>
      )}
      content={(operation) => (
        <div className="space-y-6">
          {retry.error !== null && <ErrorNotice title="The operation could not be retried" error={retry.error} />}
          {operation.error && <Problem {...operation} />}
          <div className="grid items-start gap-6 xl:grid-cols-2">
            <OperationFacts {...operation} />
            <Transitions {...operation} />
          </div>
          <OperationLog {...operation} />
        </div>
      )}
    />
  );
}

function Problem({ status, error, retry_refusal }: Operation) {
  return (
    <div className="rounded-lg border border-critical/35 bg-critical-soft p-4 text-sm">
      <p className="font-medium">{status === 'failed' ? 'Error' : 'Last error'}</p>
      <p className="mt-0.5 text-pretty break-words text-ink-muted">{error}</p>
      {status === 'failed' && (
        <p className="mt-1 text-pretty text-ink-muted">
          {retry_refusal ?? 'Fix the cause, then retry. The operation continues with the stage that failed.'}
        </p>
      )}
    </div>
  );
}
