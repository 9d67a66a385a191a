'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Card } from '@/components/kit/ui/card';
import type { Row } from '@/lib/client/list';
import { type Service, whyNoMore } from './project-limit';

/** The virtual IP and one for each node. */
export const ADDRESSES = 3;

interface LoadBalancerImpactProps {
  network: Row<'/api/v1/network/networks'> | undefined;
  /** The service in the catalog. */
  service: Service | undefined;
}

/** The price of a new load balancer, and how much of each limit it uses. */
export function LoadBalancerImpact({ network, service }: LoadBalancerImpactProps) {
  const reason = whyNoMore(service);
  return (
    <>
      <Card title="Price" aria-label="Price">
        <p className="text-pretty text-sm">
          <span className="font-medium">Free of charge.</span>{' '}
          <span className="text-ink-muted">
            Traffic that leaves through a floating IP of the load balancer is billed as egress.
          </span>
        </p>
      </Card>
      <Card title="Limits" description="What this load balancer uses.">
        <div className="space-y-5">
          {network && (
            <QuotaBar
              label={`IP addresses of ${network.name}`}
              used={network.port_count}
              limit={network.address_count}
              unit="addresses"
              claim={ADDRESSES}
            />
          )}
          {service?.limit && (
            <QuotaBar
              label="Load balancers"
              used={service.resources}
              limit={service.limit.most}
              unit="load balancers"
              claim={1}
            />
          )}
          {reason && <p className="text-pretty text-critical-ink text-sm">{reason}</p>}
        </div>
      </Card>
    </>
  );
}
