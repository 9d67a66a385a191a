'use client';

import { RotateCcw } from 'lucide-react';
import { use } from 'react';
import { operations } from '@/components/backoffice/navigation';
import { OperationLog, Transitions } from '@/components/backoffice/operation-history';
import { type Operation, useRetryOperation } from '@/components/backoffice/retry-operation';
import { TextLink } from '@/components/backoffice/text-link';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { useBackOffice } from '@/lib/client/backoffice';
import { readOperation } from '@/lib/client/operations/backoffice';
import { typeTitle } from '@/lib/format/resource-type';
import { adminPaths } from '@/lib/paths';

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
            <Facts {...operation} />
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

function Facts(operation: Operation) {
  const { project_id, resource_type, resource_id, stage, attempts, host_id, node, worker, request_id } = operation;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['Stage', stage.replaceAll('_', ' ')],
          ['Consecutive failures', String(attempts)],
          [
            'Tenant',
            project_id === null ? undefined : (
              <TextLink key="tenant" href={adminPaths.tenant(project_id)}>
                {operation.tenant_name}
              </TextLink>
            ),
          ],
          [
            typeTitle(resource_type),
            <span key="resource" className="flex flex-wrap items-center gap-x-3">
              <Id value={resource_id} label="resource ID" full />
              <TextLink href={adminPaths.operations({ resource_id })}>Operations of this resource</TextLink>
              <TextLink href={adminPaths.audit({ resource_id })}>Audit log of this resource</TextLink>
            </span>,
          ],
          ['Host', host_id ?? 'any'],
          ['Node', node ?? undefined],
          ['Worker', worker ?? undefined],
          ['Requested', <Time key="ordered" at={operation.created_at} form="exact" />],
          ['Due', operation.finished_at ? undefined : <Time key="due" at={operation.run_at} form="exact" />],
          ['Deadline', <Time key="deadline" at={operation.deadline_at} form="exact" />],
          ['Ended', <Time key="ended" at={operation.finished_at} form="exact" none="Not yet" />],
          ['Request ID', request_id ? <Id key="request" value={request_id} label="request ID" full /> : undefined],
          ['ID', <Id key="id" value={operation.id} label="operation ID" full />],
        ]}
      />
    </Card>
  );
}
