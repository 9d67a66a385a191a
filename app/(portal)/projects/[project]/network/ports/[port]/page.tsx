'use client';

import { useParams } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Card } from '@/components/kit/ui/card';
import { ports } from '@/components/network/domain';
import { PortGroups } from '@/components/network/port-groups';
import { FloatingAddress, Holder, NetworkLink } from '@/components/network/ports-table';
import type { Port } from '@/components/network/types';
import { getPort } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';

/** One virtual interface: its addresses, what holds it, and which rules guard it. */
export default function PortPage() {
  const { port: id } = useParams<{ port: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/network/ports/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={ports}
      query={query}
      get={getPort}
      title={({ ip }) => `Port ${ip}`}
      facts={(port) => [
        ['Attached to', <Holder key="holder" id={port.id} port={port} />],
        ['Network', <NetworkLink key="network" port={port} />],
        ['Floating IP', port.floating_ip ?? 'None'],
      ]}
      tabs={(port) => [
        {
          name: 'overview',
          label: 'Overview',
          content: () => (
            <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
              <Details port={port} />
              <PortGroups port={port} />
            </div>
          ),
        },
        activityTab(id),
      ]}
    />
  );
}

function Details({ port }: { port: Port }) {
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['IP address', <Id key="ip" value={port.ip} label="address" full />],
          ['MAC', <Id key="mac" value={port.mac} label="MAC address" full />],
          ['Network', <NetworkLink key="network" port={port} />],
          ['Attached to', <Holder key="holder" id={port.id} port={port} />],
          ['Floating IP', <FloatingAddress key="floating" address={port.floating_ip} />],
          ['ID', <Id key="id" value={port.id} label="port ID" full />],
          ['Created', <Time key="created" at={port.created_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
