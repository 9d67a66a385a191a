'use client';

import { useRouter } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { useMay } from '@/lib/client/may';
import { createLoadBalancer } from '@/lib/client/operations/lbaas';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { NewLoadBalancerChoices } from './listeners-step';
import { LoadBalancerWizard } from './load-balancer-form';
import { ADDRESSES, LoadBalancerImpact } from './load-balancer-impact';
import { LoadBalancerSummary } from './load-balancer-summary';
import { createBody, type LoadBalancerValues, loadBalancerSchema, newListener } from './load-balancer-values';
import { type Service, whyNoMore } from './project-limit';

interface NewLoadBalancerProps {
  choices: NewLoadBalancerChoices;
  /** The service in the catalog. */
  service: Service | undefined;
}

/** The wizard of a new load balancer. */
export function NewLoadBalancer({ choices, service }: NewLoadBalancerProps) {
  const { project, api } = useProject();
  const router = useRouter();
  const may = useMay('createLoadBalancer');
  const create = api.useMutation('post', '/api/v1/lbaas/loadbalancers');
  const first = choices.networks.find(({ is_default }) => is_default) ?? choices.networks[0];
  const form = useSchemaForm<LoadBalancerValues, LoadBalancerValues>(loadBalancerSchema, {
    name: '',
    network_id: first?.id ?? '',
    access: 'open',
    security_group_ids: [],
    idle_timeout_s: '60',
    listeners: [newListener()],
  });
  const network_id = useWatch({ control: form.control, name: 'network_id' });
  const network = choices.networks.find(({ id }) => id === network_id);
  const unavailable = service?.status === 'unavailable' ? service.status_reason : null;
  const full =
    network && network.address_count - network.port_count < ADDRESSES
      ? `Network ${network.name} has fewer than ${ADDRESSES} free IP addresses.`
      : undefined;
  return (
    <LoadBalancerWizard
      form={form}
      choices={choices}
      finishLabel="Create load balancer"
      failure="The load balancer could not be created"
      copy={{ operation: createLoadBalancer, body: createBody }}
      disabledReason={may.reason ?? unavailable ?? whyNoMore(service) ?? full}
      aside={<LoadBalancerImpact network={network} service={service} />}
      review={(values) => <LoadBalancerSummary values={values} />}
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync({ body: createBody(values) });
        router.push(paths.loadBalancer(project.slug, id));
      }}
    />
  );
}
