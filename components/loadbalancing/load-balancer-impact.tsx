'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Card } from '@/components/kit/ui/card';
import { type Row, useList } from '@/lib/client/list';
import { formatCount } from '@/lib/format/quantity';

/** The virtual IP and one for each node. */
export const ADDRESSES = 3;

/** The price of a new load balancer, and the addresses that it uses. */
export function LoadBalancerImpact({ network }: { network: Row<'/api/v1/network/networks'> | undefined }) {
  const present = useList('/api/v1/lbaas/loadbalancers', { limit: 200 });
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
          {present.data && (
            <p className="text-ink-muted text-sm">
              The project has {formatCount(present.data.rows.length, 'load balancer')}. They use no quota.
            </p>
          )}
        </div>
      </Card>
    </>
  );
}
