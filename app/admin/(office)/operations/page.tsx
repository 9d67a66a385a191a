'use client';

import { RotateCcw } from 'lucide-react';
import { operations } from '@/components/backoffice/navigation';
import { operationColumns } from '@/components/backoffice/operation-columns';
import { type Operation, useRetryOperation } from '@/components/backoffice/retry-operation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { TextFilter } from '@/components/kit/table/text-filter';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import { listOperations } from '@/lib/client/operations/backoffice';

/** What the workers do and have done. */
export default function OperationsPage() {
  const retry = useRetryOperation();
  const tryAgain = (operation: Operation) =>
    void retry.run(operation).catch((error: unknown) => {
      const description = error instanceof ApiError ? error.message : 'Open the operation for details.';
      void notify('error', `${operation.kind} could not be retried`, { description });
    });
  return (
    <ResourceList
      of={operations}
      list={listOperations}
      about="Long-running tasks of the workers. Each runs in stages and continues after a crash."
      empty="Long-running tasks, such as creating an instance, are listed here with their stages, log and errors."
      columns={operationColumns}
      filters={['status']}
      parameters={['kind', 'tenant_id', 'resource_id', 'request_id']}
      toolbar={(state) => (
        <>
          <TenantFilter state={state} />
          <TextFilter state={state} name="kind" label="Kind" hint="Exact kind, such as instance.create" />
          <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
          <TextFilter state={state} name="request_id" label="Request" hint="X-Request-Id of the request." />
        </>
      )}
      searchable={false}
      rowName={({ kind }) => kind}
      actions={(operation, state) => [
        {
          label: 'Retry',
          icon: RotateCcw,
          disabledReason: operation.retry_refusal ?? undefined,
          onSelect: () => tryAgain(operation),
        },
        { label: 'Only this kind', onSelect: () => state.set({ kind: operation.kind }) },
        { label: 'Only this resource', onSelect: () => state.set({ resource_id: operation.resource_id }) },
      ]}
    />
  );
}
