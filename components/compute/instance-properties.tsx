'use client';

import Link from 'next/link';
import { Size } from '@/components/kit/data/amounts';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Instance } from './instance-actions';

/** What an instance is made of, and where it answers. */
export function InstanceProperties({ instance }: { instance: Instance }) {
  const { flavor, image, addresses } = instance;
  const { project } = useProject();
  const names = useNames();
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      <Card title="Details">
        <PropertyList
          items={[
            ['Status', <StatusBadge key="status" status={instance.status} />],
            ['Current task', instance.task ?? undefined],
            ['ID', <Id key="id" value={instance.id} label="instance ID" full />],
            ['Hostname', <code key="hostname">{instance.hostname}</code>],
            ['Flavor', flavor.name],
            ['vCPUs', flavor.vcpus],
            ['Memory', <Size key="memory" gigabytes={flavor.ram_gb} />],
            ['Boot disk', <Size key="disk" gigabytes={flavor.disk_gb} />],
            [
              'Image',
              <Link key="image" href={paths.image(project.slug, image.id)} className="hover:underline">
                {image.name}
              </Link>,
            ],
            [
              'Volumes attached',
              <Link
                key="volumes"
                href={paths.instance(project.slug, instance.id, 'volumes')}
                className="hover:underline"
              >
                {instance.volume_ids.length}
              </Link>,
            ],
            ['Created', <Time key="created" at={instance.created_at} form="exact" />],
            ['First booted', <Time key="launched" at={instance.launched_at} form="exact" none="Not yet" />],
          ]}
        />
      </Card>
      <div className="space-y-5">
        {addresses.map(({ port_id, network_id, ip, mac, floating_ip }) => (
          <Card key={port_id} title={names.get(network_id) ?? 'Network'}>
            <PropertyList
              items={[
                ['Address', <Id key="ip" value={ip} label="address" full />],
                [
                  'Floating IP',
                  floating_ip ? <Id key="floating" value={floating_ip} label="floating IP" full /> : 'None',
                ],
                ['MAC', <Id key="mac" value={mac} label="MAC address" full />],
                [
                  'Security groups',
                  instance.security_group_ids.map((id) => names.get(id) ?? id).join(', ') ||
                    'None: all traffic is dropped',
                ],
              ]}
            />
          </Card>
        ))}
        {instance.ssh_public_key && (
          <Card
            title="SSH key"
            description={image.default_user ? `Allows sign-in as ${image.default_user} with this key.` : undefined}
          >
            <CodeBlock code={instance.ssh_public_key.trim()} label="public key" />
          </Card>
        )}
      </div>
    </div>
  );
}

/** What the project's networks and security groups are called. */
function useNames(): Map<string, string> {
  const networks = useList('/api/v1/network/networks', { limit: 100 });
  const groups = useList('/api/v1/network/security-groups', { limit: 100 });
  const all = [...(networks.data?.rows ?? []), ...(groups.data?.rows ?? [])];
  return new Map(all.map(({ id, name }) => [id, name]));
}
