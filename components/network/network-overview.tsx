import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { AddressUse } from './address-use';
import { SubnetsCard } from './subnets-card';
import { TextLink } from './text-link';
import type { Network } from './types';

/** Details and subnets of a network. */
export function NetworkOverview({ network }: { network: Network }) {
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      <Details network={network} />
      <SubnetsCard subnets={network.subnets} />
    </div>
  );
}

function Details({ network }: { network: Network }) {
  const { project } = useProject();
  const { port_count, address_count } = network;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['IP range', <Id key="cidr" value={network.cidr} label="range" full />],
          ['IP addresses in use', <AddressUse key="use" used={port_count} total={address_count} small />],
          [
            'Router',
            <TextLink key="router" href={paths.router(project.slug, network.router_id)}>
              Gateway {network.gateway_ip}
            </TextLink>,
          ],
          ['Default', network.is_default ? 'Yes' : undefined],
          ['ID', <Id key="id" value={network.id} label="network ID" full />],
          ['Created', <Time key="created" at={network.created_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
