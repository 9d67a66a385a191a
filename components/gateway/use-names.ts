'use client';

import { useList } from '@/lib/client/list';

/** Names of the instances, load balancers and functions of the project, by id. */
export function useTargetNames(): ReadonlyMap<string, string> {
  const instances = useList('/api/v1/compute/instances', { limit: 200, sort: 'name' });
  const balancers = useList('/api/v1/lbaas/loadbalancers', { limit: 200, sort: 'name' });
  const functions = useList('/api/v1/functions', { limit: 200, sort: 'name' });
  return new Map(
    [...(instances.data?.rows ?? []), ...(balancers.data?.rows ?? []), ...(functions.data?.rows ?? [])].map(
      ({ id, name }) => [id, name],
    ),
  );
}
