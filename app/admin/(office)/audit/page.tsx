'use client';

import { useState } from 'react';
import { ExportButton, RequestFilter, SpanFilter } from '@/components/audit/audit-toolbar';
import { entryActions } from '@/components/audit/entry-actions';
import { entryColumns } from '@/components/audit/entry-columns';
import { resultOptions } from '@/components/audit/words';
import { auditLog } from '@/components/backoffice/navigation';
import { TenantFilter } from '@/components/backoffice/tenant-filter';
import { TextLink } from '@/components/backoffice/text-link';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { TextFilter } from '@/components/kit/table/text-filter';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import type { Row } from '@/lib/client/list';
import { listPlatformAudit } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

const EntrySheet = lazyComponent(() => import('@/components/audit/entry-sheet').then((module) => module.EntrySheet));

type Entry = Row<'/admin/api/v1/audit'>;

/** Who did what on the platform, in which tenant, from where, and what came of it. */
export default function AuditPage() {
  const [shown, setShown] = useState<Entry>();
  const shared = entryColumns<Entry>(setShown);
  const tenant = columnsOf<Entry>().accessor('tenant_name', {
    header: 'Tenant',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => <TenantOf entry={original} />,
  });
  const columns = [shared.at, shared.action, shared.who, shared.resource, tenant, shared.result, shared.address];
  return (
    <ResourceList
      of={auditLog}
      list={listPlatformAudit}
      about="All changes, refused requests and failed sign-ins, in all tenants and the back office. Never contains secret values."
      empty="Changes and refused requests of users, tokens and administrators are recorded here."
      columns={columns}
      filters={[{ name: 'result', label: 'Result', options: resultOptions }]}
      parameters={['tenant_id', 'actor', 'action', 'resource_id', 'request_id', 'from', 'to']}
      toolbar={(state) => (
        <>
          <TenantFilter state={state} />
          <TextFilter state={state} name="actor" label="Actor" hint="Part of the name, or the ID." />
          <TextFilter state={state} name="action" label="Action" hint="Exact action, such as tenant.suspend" />
          <TextFilter state={state} name="resource_id" label="Resource" hint="The resource’s ID." />
          <RequestFilter state={state} />
          <SpanFilter state={state} />
          <ExportButton path="/admin/api/v1/audit/export" state={state} />
        </>
      )}
      rowName={({ action }) => action}
      actions={(entry, state) => Object.values(entryActions(entry, state, setShown))}
    >
      {() =>
        shown && (
          <EntrySheet
            key={shown.id}
            entry={shown}
            tenant={shown.project_id ? <TenantOf entry={shown} /> : undefined}
            close={() => setShown(undefined)}
          />
        )
      }
    </ResourceList>
  );
}

function TenantOf({ entry: { project_id, tenant_name } }: { entry: Entry }) {
  if (project_id === null) return <span className="text-ink-subtle">–</span>;
  return <TextLink href={adminPaths.tenant(project_id)}>{tenant_name ?? project_id}</TextLink>;
}
