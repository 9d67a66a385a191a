'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reconciliations } from '@/components/backoffice/navigation';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useBackOffice } from '@/lib/client/backoffice';
import type { Row } from '@/lib/client/list';
import { listReconciliations } from '@/lib/client/operations/backoffice';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';

const Differences = lazyComponent(() =>
  import('@/components/backoffice/money/differences-sheet').then((module) => module.DifferencesSheet),
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
    meta: { align: 'right' },
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
  const store = useQueryClient();
  const check = api.useMutation('post', '/admin/api/v1/billing/reconciliations');
  const [opened, setOpened] = useState<string>();
  const checkNow = async () => {
    const { id } = await check.mutateAsync({ body: {} });
    await store.invalidateQueries({ queryKey: ['list', listReconciliations.path] });
    setOpened(id);
  };
  const button = (
    // What fails shows below, through `check.error`.
    <Button variant="primary" pending={check.isPending} onClick={() => void checkNow().catch(() => {})}>
      Check now
    </Button>
  );
  return (
    <ResourceList
      of={reconciliations}
      list={listReconciliations}
      about="Compares billed usage with the history of every resource, every six hours. Investigate differences before the month is closed."
      empty="Checks run every six hours. Their results and any differences appear here."
      above={
        check.error && (
          <div className="mb-4">
            <ErrorNotice title="The check failed" error={check.error} />
          </div>
        )
      }
      create={button}
      columns={columns}
      filters={[{ name: 'differing', label: 'Result', options: results }]}
      searchable={false}
      rowName={({ created_at }) => `the check of ${created_at}`}
      actions={({ id }) => [{ label: 'View result', onSelect: () => setOpened(id) }]}
    >
      {() => opened && <Differences id={opened} close={() => setOpened(undefined)} />}
    </ResourceList>
  );
}
