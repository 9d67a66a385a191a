import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { typeTitle } from '@/lib/format/resource-type';
import { adminPaths } from '@/lib/paths';
import type { Operation } from './retry-operation';
import { TextLink } from './text-link';

/** What is known of an operation. */
export function OperationFacts(operation: Operation) {
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
