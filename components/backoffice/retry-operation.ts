'use client';

import { useQueryClient } from '@tanstack/react-query';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import type { Row } from '@/lib/client/list';

export type Operation = Row<'/admin/api/v1/operations'>;

/** Has an operation tried again; what came of it shows where it is listed. */
export function useRetryOperation() {
  const { api } = useBackOffice();
  const store = useQueryClient();
  const retry = api.useMutation('post', '/admin/api/v1/operations/{id}/retry');
  return {
    pending: retry.isPending,
    error: retry.error,
    run: async ({ id, kind }: Pick<Operation, 'id' | 'kind'>) => {
      await retry.mutateAsync({ params: { path: { id } } });
      void notify('success', `Retrying ${kind}`);
      await store.invalidateQueries({
        predicate: ({ queryKey: [, path] }) => typeof path === 'string' && path.startsWith('/admin/api/v1/operations'),
      });
    },
  };
}
