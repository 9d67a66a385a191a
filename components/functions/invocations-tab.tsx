'use client';

import { FileText } from 'lucide-react';
import { useState } from 'react';
import { Time } from '@/components/kit/data/time';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { listInvocations } from '@/lib/client/operations/functions';
import { functions } from './domain';
import { type CloudFunction, type InvocationSummary, shortDuration, triggerNames } from './types';

const InvocationSheet = lazyComponent(() => import('./invocation-sheet').then((module) => module.InvocationSheet));

const column = columnsOf<InvocationSummary>();

const triggerOptions = Object.entries(triggerNames).map(([value, label]) => ({ value, label }));
const modeOptions = [
  { value: 'sync', label: 'Synchronous' },
  { value: 'async', label: 'Asynchronous' },
];

/** The history of a function's invocations, the queue included. */
export function InvocationsTab({ of }: { of: CloudFunction }) {
  const [shown, setShown] = useState<InvocationSummary>();
  const columns = [
    column.accessor('created_at', {
      header: 'Time',
      cell: ({ row: { original }, getValue }) => (
        <button type="button" className="rounded-sm font-medium hover:underline" onClick={() => setShown(original)}>
          <Time at={getValue()} form="exact" />
        </button>
      ),
    }),
    statusColumn<InvocationSummary>(),
    column.accessor('trigger', {
      header: 'Trigger',
      cell: ({ row: { original }, getValue }) =>
        `${triggerNames[getValue()]}${original.mode === 'async' ? ', asynchronous' : ''}`,
    }),
    column.accessor('duration_ms', {
      header: 'Duration',
      cell: ({ getValue }) => {
        const duration = getValue();
        return duration === null ? '–' : <span className="tabular-nums">{shortDuration(duration)}</span>;
      },
    }),
    column.accessor('memory_mb', {
      header: 'Memory',
      meta: { from: 'md' },
      cell: ({ getValue }) => (getValue() === null ? '–' : `${getValue()} MB`),
    }),
    column.accessor('attempts', { header: 'Attempts', meta: { from: 'md' } }),
    column.accessor('version', { header: 'Version', meta: { from: 'md' }, cell: ({ getValue }) => getValue() ?? '–' }),
    column.accessor(({ error }) => (error ? `${error.type}: ${error.message}` : ''), {
      id: 'error',
      header: 'Error',
      meta: { from: 'xl' },
      cell: ({ getValue }) => <span className="line-clamp-1 max-w-xs text-ink-muted text-xs">{getValue() || '–'}</span>,
    }),
  ];
  return (
    <>
      <ResourceTable
        of={{ icon: functions.icon, noun: 'invocation' }}
        list={listInvocations}
        parent={of.id}
        columns={columns}
        searchable={false}
        filters={[
          'status',
          { name: 'trigger', label: 'Trigger', options: triggerOptions },
          { name: 'mode', label: 'Mode', options: modeOptions },
        ]}
        rowName={({ id }) => `invocation ${id}`}
        actions={(invocation) => [{ label: 'View details', icon: FileText, onSelect: () => setShown(invocation) }]}
        empty="Invocations appear here with their results and logs, whoever calls the function."
      />
      {shown && <InvocationSheet of={of} invocation={shown} close={() => setShown(undefined)} />}
    </>
  );
}
