'use client';

import { TextLink } from '@/components/network/text-link';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { LoadBalancer } from './types';

/** Finds the load balancer whose virtual IP a port has. */
export function useLoadBalancerOfPort(): (portId: string) => LoadBalancer | undefined {
  const balancers = useList('/api/v1/lbaas/loadbalancers', { limit: 200 });
  return (portId) => balancers.data?.rows.find(({ vip_port_id }) => vip_port_id === portId);
}

interface LoadBalancerOfPortProps {
  portId: string;
  /** For a port that is no virtual IP. */
  otherwise: string;
}

/** A link to the load balancer of a port. */
export function LoadBalancerOfPort({ portId, otherwise }: LoadBalancerOfPortProps) {
  const { project } = useProject();
  const balancer = useLoadBalancerOfPort()(portId);
  if (!balancer) return otherwise;
  return <TextLink href={paths.loadBalancer(project.slug, balancer.id)}>{balancer.name}</TextLink>;
}
