'use client';

import { PropertyList } from '@/components/kit/data/property-list';
import { Card } from '@/components/kit/ui/card';
import { useList } from '@/lib/client/list';
import { formatCount } from '@/lib/format/quantity';
import { titleOf } from './listener-cards';
import { ADDRESS, createBody, type LoadBalancerValues } from './load-balancer-values';
import { algorithmLabel, describeCheck, stickyLabels } from './types';
import { sharesOf } from './weights';

/** The settings of a new load balancer, for review. */
export function LoadBalancerSummary({ values }: { values: LoadBalancerValues }) {
  const { network_id, access, security_group_ids, idle_timeout_s, name, listeners } = values;
  const networks = useList('/api/v1/network/networks', { limit: 200 });
  const instances = useList('/api/v1/compute/instances', { network_id, limit: 200, sort: 'name' });
  const certificates = useList('/api/v1/gateway/certificates', { limit: 200, sort: 'name' });
  const certificateName = (chosen: string) => certificates.data?.rows.find(({ id }) => id === chosen)?.name ?? chosen;
  const nameOf = (target: string) => instances.data?.rows.find(({ id }) => id === target)?.name ?? target;
  const body = createBody(values);
  return (
    <>
      <Card title={name}>
        <PropertyList
          items={[
            ['Network', networks.data?.rows.find(({ id }) => id === network_id)?.name ?? network_id],
            ['Access', access === 'open' ? 'Open' : formatCount(security_group_ids.length, 'security group')],
            ['Idle timeout', `${idle_timeout_s} s`],
          ]}
        />
      </Card>
      {listeners.map((listener, position) => {
        const { pool, allowed_cidrs, redirect_to_https, protocol, certificate_ids } = listener;
        const shares = sharesOf(pool.members.map(({ weight, backup }) => ({ weight: Number(weight), backup })));
        return (
          <Card key={listener.port} title={titleOf(listener)}>
            <PropertyList
              items={[
                ['Certificates', protocol === 'HTTPS' ? certificate_ids.map(certificateName).join(', ') : undefined],
                ['Allowed clients', allowed_cidrs || 'All'],
                ['Redirect to HTTPS', protocol === 'HTTP' && redirect_to_https ? 'Yes' : undefined],
                ['Pool', `${pool.name}, ${algorithmLabel(pool.algorithm).toLowerCase()}`],
                ['Sticky sessions', pool.sticky === 'none' ? undefined : stickyLabels[pool.sticky]],
                [
                  'Members',
                  pool.members.length === 0 ? (
                    'None'
                  ) : (
                    <ul key="members" aria-label={`Members of ${pool.name}`} className="w-full space-y-1">
                      {pool.members.map(({ target, address, port, weight }, place) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
                        <li key={place}>
                          {target === ADDRESS ? address : nameOf(target)}:{port}{' '}
                          <span className="text-ink-muted text-xs">
                            weight {weight}, {shares[place]}
                          </span>
                        </li>
                      ))}
                    </ul>
                  ),
                ],
                ['Health check', describeCheck(body.listeners[position]?.pool.health_check)],
              ]}
            />
          </Card>
        );
      })}
    </>
  );
}
