'use client';

import { useProject } from '@/lib/client/project';
import { type DesiredState, desiredState } from './desired-state';

/**
 * Changes a load balancer: reads its current state, applies `change` and sends the result. The page may show an older
 * state, and sending that would undo changes of others.
 */
export function useReplace(id: string): (change: (state: DesiredState) => DesiredState) => Promise<void> {
  const { api, client } = useProject();
  const replace = api.useMutation('put', '/api/v1/lbaas/loadbalancers/{id}');
  const params = { path: { id } };
  return async (change) => {
    const balancer = await client.GET('/api/v1/lbaas/loadbalancers/{id}', { params });
    const pools = await client.GET('/api/v1/lbaas/pools', { params: { query: { load_balancer_id: id, limit: 200 } } });
    const state = balancer.data && pools.data && desiredState(balancer.data, pools.data);
    if (!state) throw new Error('The load balancer has just been changed. Try again.');
    await replace.mutateAsync({ params, body: change(state) });
  };
}
