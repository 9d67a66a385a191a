'use client';

import { Scale } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { whenReachable } from '@/components/kit/ui/when-reachable';
import { useBackOffice } from '@/lib/client/backoffice';
import { type Row, useList } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';

const Differences = dynamic(() =>
  whenReachable(() =>
    import('@/components/backoffice/money/differences-sheet').then((module) => module.DifferencesSheet),
  ),
);

type Check = Row<'/admin/api/v1/billing/reconciliations'>;

const column = columnsOf<Check>();
const columns = [
  column.accessor('created_at', { header: 'Checked', cell: ({ getValue }) => <Time at={getValue()} /> }),
  column.accessor('differing', {
    header: 'Result',
    cell: ({ getValue }) =>
      getValue() === 0 ? (
        <Badge tone="positive">No differences</Badge>
      ) : (
        <Badge tone="critical">{formatCount(getValue(), 'difference')}</Badge>
      ),
  }),
  column.accessor('resources', {
    header: 'Compared',
    meta: { align: 'right', from: 'sm' },
    cell: ({ getValue }) => formatNumber(getValue()),
  }),
  column.accessor('period_from', {
    header: 'From',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} form="exact" />,
  }),
  column.accessor('period_to', {
    header: 'To',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} form="exact" />,
  }),
];

const results = [
  { value: 'true', label: 'With differences' },
  { value: 'false', label: 'Without differences' },
];

/** Checks of what was billed against what resources were. */
export default function ReconciliationsPage() {
  const { api } = useBackOffice();
  const state = useTableState(['differing']);
  const { search: _search, sort: _sort, ...query } = state.query;
  const list = useList('/admin/api/v1/billing/reconciliations', query);
  const check = api.useMutation('post', '/admin/api/v1/billing/reconciliations');
  const [opened, setOpened] = useState<string>();
  const checkNow = async () => {
    const { id } = await check.mutateAsync({ body: {} });
    await list.refetch();
    setOpened(id);
  };
  const button = (
    // What fails shows below, through `check.error`.
    <Button variant="primary" pending={check.isPending} onClick={() => void checkNow().catch(() => {})}>
      Check now
    </Button>
  );
  return (
    <Page
      title="Reconciliation"
      description="Compares billed usage with the history of every resource, every six hours. Investigate differences before the month is closed."
      actions={button}
    >
      <div className="space-y-4">
        {check.error && <ErrorNotice title="The check failed" error={check.error} />}
        <DataTable
          noun="check"
          list={list}
          state={state}
          columns={columns}
          rowName={({ created_at }) => `the check of ${created_at}`}
          searchable={false}
          filters={[{ name: 'differing', label: 'Result', options: results }]}
          actions={({ id }) => [{ label: 'View result', onSelect: () => setOpened(id) }]}
          empty={
            <EmptyState icon={Scale} title="No checks yet" action={button}>
              Checks run every six hours. Each lists what it compared and the differences it found.
            </EmptyState>
          }
        />
      </div>
      {opened && <Differences id={opened} close={() => setOpened(undefined)} />}
    </Page>
  );
}
