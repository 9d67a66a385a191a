'use client';

import { useParams } from 'next/navigation';
import { useState } from 'react';
import { activityTab } from '@/components/audit/activity-tab';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { ports } from '@/components/network/domain';
import { FloatingAddress, Holder, NetworkLink } from '@/components/network/ports-table';
import { type SecurityGroup, sayRule } from '@/components/network/rules';
import { TextLink } from '@/components/network/text-link';
import type { Port } from '@/components/network/types';
import { useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { getPort } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const PortGroupsDialog = lazyComponent(() =>
  import('@/components/network/port-groups-dialog').then((module) => module.PortGroupsDialog),
);

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

/** The groups of a port with what they let through; with none, nothing passes. */
function PortGroups({ port }: { port: Port }) {
  const may = useMay('changePort');
  const [changing, setChanging] = useState(false);
  const all = useList('/api/v1/network/security-groups', { limit: 200 }).data?.rows ?? [];
  const carried = all.filter(({ id }) => port.security_group_ids.includes(id));
  return (
    <Card
      title="Security groups"
      description={
        port.security_group_ids.length === 0
          ? 'Without a security group, all traffic is dropped.'
          : 'The rules of all groups apply.'
      }
      actions={
        <DisabledReason reason={may.reason}>
          <Button onClick={() => setChanging(true)}>Change security groups</Button>
        </DisabledReason>
      }
    >
      <ul aria-label="Security groups" className="space-y-3 text-sm empty:hidden">
        {carried.map((group) => (
          <GroupLine key={group.id} group={group} />
        ))}
      </ul>
      {changing && <PortGroupsDialog port={port} groups={all} close={() => setChanging(false)} />}
    </Card>
  );
}

function GroupLine({ group: { id, name, rules } }: { group: SecurityGroup }) {
  const { project } = useProject();
  return (
    <li>
      <TextLink href={paths.securityGroup(project.slug, id)} strong>
        {name}
      </TextLink>
      <ul className="mt-0.5 text-ink-muted text-xs">
        {rules.map((rule) => (
          <li key={rule.id}>{sayRule(rule)}</li>
        ))}
        {rules.length === 0 && <li>No rules.</li>}
      </ul>
    </li>
  );
}
