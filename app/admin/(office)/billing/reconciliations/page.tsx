'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reconciliationColumns } from '@/components/backoffice/money/reconciliation-columns';
import { reconciliations } from '@/components/backoffice/navigation';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useBackOffice } from '@/lib/client/backoffice';
import { listReconciliations } from '@/lib/client/operations/backoffice';

const Differences = lazyComponent(() =>
  import('@/components/backoffice/money/differences-sheet').then((module) => module.DifferencesSheet),
);

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
      columns={reconciliationColumns}
      filters={[{ name: 'differing', label: 'Result', options: results }]}
      searchable={false}
      rowName={({ created_at }) => `the check of ${created_at}`}
      actions={({ id }) => [{ label: 'View result', onSelect: () => setOpened(id) }]}
    >
      {() => opened && <Differences id={opened} close={() => setOpened(undefined)} />}
    </ResourceList>
  );
}
