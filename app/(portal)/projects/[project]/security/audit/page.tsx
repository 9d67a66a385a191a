'use client';

import { useState } from 'react';
import { ExportButton, RequestFilter, SpanFilter } from '@/components/audit/audit-toolbar';
import { auditLog } from '@/components/audit/domain';
import { entryActions } from '@/components/audit/entry-actions';
import { entryColumns } from '@/components/audit/entry-columns';
import { resultOptions } from '@/components/audit/words';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import type { Row } from '@/lib/client/list';
import { listAudit } from '@/lib/client/operations/audit';

const EntrySheet = lazyComponent(() => import('@/components/audit/entry-sheet').then((module) => module.EntrySheet));

type Entry = Row<'/api/v1/audit'>;

/** The kinds of resources that leave entries, for the filter. */
const kinds = [
  'secret',
  'instance',
  'key_pair',
  'network',
  'port',
  'security_group',
  'floating_ip',
  'volume',
  'snapshot',
  'image',
  'user',
  'api_token',
  'identity_provider',
  'session',
];

/** Who did what in the project, from where, and what came of it. */
export default function AuditPage() {
  const [shown, setShown] = useState<Entry>();
  const { at, who, action, resource, result, address } = entryColumns<Entry>(setShown);
  const columns = [at, who, action, resource, result, address];
  return (
    <ResourceList
      of={auditLog}
      list={listAudit}
      about="All changes and refused requests in this project. Never contains secret values."
      empty="Changes and refused requests of users, tokens and workloads are recorded here."
      columns={columns}
      filters={[
        { name: 'result', label: 'Result', options: resultOptions },
        {
          name: 'resource_type',
          label: 'Resource',
          options: kinds.map((kind) => ({ value: kind, label: kind.replaceAll('_', ' ') })),
        },
      ]}
      parameters={['action', 'actor', 'request_id', 'from', 'to']}
      toolbar={(state) => (
        <>
          <RequestFilter state={state} />
          <SpanFilter state={state} />
          <ExportButton path="/api/v1/audit/export" state={state} />
        </>
      )}
      rowName={({ action }) => action}
      actions={(entry, state) => {
        const { details, sameAction, sameActor, sameRequest } = entryActions(entry, state, setShown);
        return [details, sameAction, sameActor, sameRequest];
      }}
    >
      {() => shown && <EntrySheet key={shown.id} entry={shown} close={() => setShown(undefined)} />}
    </ResourceList>
  );
}
