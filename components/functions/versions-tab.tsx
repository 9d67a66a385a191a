'use client';

import { GitCompare, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Id } from '@/components/kit/data/id';
import { Time } from '@/components/kit/data/time';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Action } from '@/components/kit/table/row-actions';
import { Badge } from '@/components/kit/ui/badge';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { listFunctionVersions } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { functions } from './domain';
import type { CloudFunction, FunctionVersion } from './types';

const DiffDialog = lazyComponent(() => import('./diff-dialog').then((module) => module.DiffDialog));

const column = columnsOf<FunctionVersion>();
const columns = [
  column.accessor('version', {
    header: 'Version',
    cell: ({ row: { original }, getValue }) => (
      <span className="inline-flex items-center gap-2 font-medium tabular-nums">
        {getValue()} {original.is_current && <Badge tone="positive">Current</Badge>}
      </span>
    ),
  }),
  column.accessor('rolled_back_from', {
    header: 'Origin',
    cell: ({ getValue }) => {
      const from = getValue();
      return from === null ? 'Deployed' : `Rolled back to ${from}`;
    },
  }),
  column.accessor('memory_mb', { header: 'Memory', meta: { from: 'md' }, cell: ({ getValue }) => `${getValue()} MB` }),
  column.accessor('timeout_s', { header: 'Timeout', meta: { from: 'md' }, cell: ({ getValue }) => `${getValue()} s` }),
  column.accessor('code_sha256', {
    header: 'Code',
    cell: ({ getValue }) => <Id value={getValue()} label="SHA-256 of the code" />,
  }),
  column.accessor('created_at', { header: 'Created', cell: ({ getValue }) => <Time at={getValue()} /> }),
];

/** All versions of a function, what changed between them, and the way back. */
export function VersionsTab({ of }: { of: CloudFunction }) {
  const { api } = useProject();
  const refusal = useRefusal();
  const rollBack = api.useMutation('post', '/api/v1/functions/{id}/rollback');
  const [compared, setCompared] = useState<FunctionVersion>();
  const actionsOf = (version: FunctionVersion): Action[] => [
    {
      label: 'Compare with current',
      icon: GitCompare,
      disabledReason: version.is_current ? 'This is the current version.' : undefined,
      onSelect: () => setCompared(version),
    },
    {
      label: 'Roll back',
      icon: Undo2,
      disabledReason: refusal('rollBackFunction') ?? (version.is_current ? 'This is the current version.' : undefined),
      confirmation: {
        title: `Roll ${of.name} back to version ${version.version}?`,
        consequence: `Version ${of.version + 1} gets its code and configuration. No version is lost.`,
        confirmLabel: 'Roll back',
        harmless: true,
        onConfirm: () => rollBack.mutateAsync({ params: { path: { id: of.id } }, body: { version: version.version } }),
      },
    },
  ];
  return (
    <>
      <ResourceTable
        of={{ icon: functions.icon, noun: 'version' }}
        list={listFunctionVersions}
        parent={of.id}
        columns={columns}
        searchable={false}
        rowName={({ version }) => `version ${version}`}
        rowId={({ version }) => String(version)}
        actions={actionsOf}
        empty="Each deployment makes a version."
      />
      {compared && <DiffDialog of={of} version={compared} close={() => setCompared(undefined)} />}
    </>
  );
}
