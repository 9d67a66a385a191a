'use client';

import { CreateOne } from '@/components/kit/resource/resource-list';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { listLoadBalancers } from '@/lib/client/operations/lbaas';
import { loadBalancers } from './domain';
import { useLoadBalancerActions } from './load-balancer-actions';
import { loadBalancerColumns } from './load-balancer-columns';

const withoutNetwork = loadBalancerColumns.filter(({ id }) => id !== 'network');

/** The load balancers of a network. */
export function NetworkLoadBalancers({ network_id }: { network_id: string }) {
  const { actionsOf, dialog } = useLoadBalancerActions();
  return (
    <ResourceTable
      of={loadBalancers}
      list={listLoadBalancers}
      query={{ network_id }}
      columns={withoutNetwork}
      filters={['provisioning_status']}
      actions={actionsOf}
      create={<CreateOne of={loadBalancers} />}
      empty="A load balancer on this network gives several instances one address."
    >
      {() => dialog}
    </ResourceTable>
  );
}
