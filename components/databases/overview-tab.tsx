'use client';

import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { NetworkName } from '@/components/loadbalancing/load-balancer-columns';
import { FloatingAddress } from '@/components/network/ports-table';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { formatGigabytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { ConnectionCard } from './connection-card';
import { whyNoBackups } from './engine-look';
import { MembersCard } from './members-card';
import type { Cluster } from './types';
import { UserCard } from './user-card';

/** What a cluster is, how to connect to it, and how its members are. */
export function OverviewTab({ cluster }: { cluster: Cluster }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="space-y-5">
        <ConnectionCard cluster={cluster} />
        <MembersCard cluster={cluster} />
      </div>
      <div className="space-y-5">
        <StorageCard cluster={cluster} />
        <UserCard cluster={cluster} />
        <Details cluster={cluster} />
      </div>
    </div>
  );
}

function StorageCard({ cluster: { used_gb, storage_gb } }: { cluster: Cluster }) {
  return (
    <Card title="Storage">
      {used_gb === null ? (
        <p className="text-ink-muted text-sm">{formatGigabytes(storage_gb)} for each member. Not measured yet.</p>
      ) : (
        <QuotaBar label="Fullest member" used={used_gb} limit={storage_gb} unit="GB" />
      )}
    </Card>
  );
}

function Details({ cluster }: { cluster: Cluster }) {
  const { project } = useProject();
  const { id, engine, namespace, vcpus, ram_gb, network_id, port_id, floating_ip, created_at, last_backup_at } =
    cluster;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['Namespace', namespace],
          ['Each member', `${vcpus} vCPU, ${formatGigabytes(ram_gb)} memory`],
          ['Network', <NetworkName key="network" id={network_id} />],
          [
            'Port',
            port_id === null ? undefined : (
              <TextLink key="port" href={paths.port(project.slug, port_id)}>
                Security groups
              </TextLink>
            ),
          ],
          ['Floating IP', <FloatingAddress key="floating" address={floating_ip} />],
          ['Last backup', <Time key="backup" at={last_backup_at} none={whyNoBackups(engine) ?? 'None yet'} />],
          ['ID', <Id key="id" value={id} label="cluster ID" full />],
          ['Created', <Time key="created" at={created_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
