'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { loadBalancers } from '@/components/loadbalancing/domain';
import { useLoadBalancerActions } from '@/components/loadbalancing/load-balancer-actions';
import { loadBalancerColumns } from '@/components/loadbalancing/load-balancer-columns';
import { useList } from '@/lib/client/list';
import { createLoadBalancer, listLoadBalancers } from '@/lib/client/operations/lbaas';

/** The project's load balancers. */
export default function LoadBalancersPage() {
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const { actionsOf, dialog } = useLoadBalancerActions();
  return (
    <ResourceList
      of={loadBalancers}
      list={listLoadBalancers}
      command={createLoadBalancer}
      about="Virtual IPs that distribute connections to healthy members. A stand-by node takes over within two seconds."
      empty="A load balancer gives several instances one address. Clients do not notice when one of the instances fails."
      columns={loadBalancerColumns}
      filters={[
        'provisioning_status',
        {
          name: 'network_id',
          label: 'Network',
          options: (networks.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name })),
        },
      ]}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
