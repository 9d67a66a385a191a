'use client';

import { Server, Waypoints } from 'lucide-react';
import { useParams, useRouter } from 'next/navigation';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { AddressUse } from '@/components/network/address-use';
import { useNetworkActions } from '@/components/network/network-actions';
import { PortsTable } from '@/components/network/ports-table';
import { SubnetsCard } from '@/components/network/subnets-card';
import { TextLink } from '@/components/network/text-link';
import type { Network } from '@/components/network/types';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** One network: its range, and what has its addresses. */
export default function NetworkPage() {
  const { network: id } = useParams<{ network: string }>();
  const { project, api } = useProject();
  const query = api.useQuery('get', '/api/v1/network/networks/{id}', { params: { path: { id } } });
  return (
    <Page
      title={query.data?.name ?? 'Network'}
      badge={query.data && <StatusBadge status={query.data.status} />}
      actions={
        query.data && (
          <>
            <NetworkMenu network={query.data} />
            <ButtonLink href={paths.topology(project.slug)}>
              <Waypoints /> Topology
            </ButtonLink>
          </>
        )
      }
    >
      <Loaded query={query} what="The network" skeleton={<Skeleton className="h-80 w-full" />}>
        {(network) => <NetworkParts network={network} />}
      </Loaded>
    </Page>
  );
}

function NetworkMenu({ network }: { network: Network }) {
  const { project } = useProject();
  const router = useRouter();
  const actionsOf = useNetworkActions({ onDeleted: () => router.push(paths.networks(project.slug)) });
  return <ActionMenu name={network.name} actions={actionsOf(network)} labelled />;
}

function NetworkParts({ network }: { network: Network }) {
  const { project } = useProject();
  return (
    <div className="space-y-6">
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Card title="Overview">
          <PropertyList
            items={[
              ['IP range', <Id key="cidr" value={network.cidr} label="range" full />],
              ['IP addresses in use', <Use key="use" network={network} />],
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
        <SubnetsCard subnets={network.subnets} />
      </div>
      <section aria-labelledby="ports">
        <h2 id="ports" className="mb-3 font-semibold text-base">
          Ports
        </h2>
        <PortsTable
          of={{ network_id: network.id }}
          empty={
            <EmptyState
              icon={Server}
              title="No ports yet"
              action={
                <CreateLink label="Create instance" href={paths.newInstance(project.slug)} operation="createInstance" />
              }
            >
              Instances created on this network get an IP address and are listed here.
            </EmptyState>
          }
        />
      </section>
    </div>
  );
}

function Use({ network: { port_count, address_count } }: { network: Network }) {
  return <AddressUse used={port_count} total={address_count} small />;
}
