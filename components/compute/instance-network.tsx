'use client';

import { Network } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { useConfirm } from '@/components/kit/page/confirm';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { InstancePools } from '@/components/loadbalancing/instance-pools';
import { type Row, useList } from '@/lib/client/list';
import { useMay, useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Instance } from './instance-actions';

const FloatingIpDialog = lazyComponent(() =>
  import('@/components/network/floating-ip-dialog').then((module) => module.FloatingIpDialog),
);
const PortGroupsDialog = lazyComponent(() =>
  import('@/components/network/port-groups-dialog').then((module) => module.PortGroupsDialog),
);

type Port = Row<'/api/v1/network/ports'>;

/** The addresses of an instance and its security groups. */
export function InstanceNetwork({ instance }: { instance: Instance }) {
  const ports = useList('/api/v1/network/ports', { instance_id: instance.id, limit: 50 });
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  const [dialog, setDialog] = useState<{ what: 'floating' | 'groups'; port: Port }>();
  const close = () => setDialog(undefined);
  if (instance.addresses.length === 0) {
    return (
      <div className="rounded-lg border border-dashed bg-surface">
        <EmptyState icon={Network} title="No network interface">
          The interfaces of this instance have been deleted.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="space-y-5">
      {instance.addresses.map((address) => (
        <PortCard
          key={address.port_id}
          instance={instance}
          address={address}
          port={ports.data?.rows.find(({ id }) => id === address.port_id)}
          open={(what, port) => setDialog({ what, port })}
        />
      ))}
      <InstancePools instanceId={instance.id} />
      {dialog?.what === 'floating' && (
        <FloatingIpDialog noun="instance" name={instance.name} port={dialog.port} close={close} />
      )}
      {dialog?.what === 'groups' && groups.data && (
        <PortGroupsDialog port={dialog.port} groups={groups.data.rows} close={close} />
      )}
    </div>
  );
}

interface PortCardProps {
  instance: Instance;
  address: Instance['addresses'][number];
  /** Undefined until it is read. */
  port: Port | undefined;
  open: (what: 'floating' | 'groups', port: Port) => void;
}

function PortCard({ instance, address, port, open }: PortCardProps) {
  const { project } = useProject();
  const networks = useList('/api/v1/network/networks', { limit: 200 });
  const network = networks.data?.rows.find(({ id }) => id === address.network_id);
  const refusal = useRefusal();
  const state = whyNotNow(instance) ?? (port ? undefined : READING);
  return (
    <Card
      title={network?.name ?? 'Network'}
      description={network && `${network.cidr} · gateway ${network.gateway_ip}`}
      actions={
        <>
          <DisabledReason reason={refusal('changePort') ?? state}>
            <Button size="sm" onClick={() => port && open('groups', port)}>
              Change security groups
            </Button>
          </DisabledReason>
          {address.floating_ip === null && (
            <DisabledReason reason={refusal('associateFloatingIp') ?? state}>
              <Button size="sm" onClick={() => port && open('floating', port)}>
                Associate floating IP
              </Button>
            </DisabledReason>
          )}
        </>
      }
    >
      <PropertyList
        items={[
          ['Address', <Id key="ip" value={address.ip} label="address" full />],
          ['Floating IP', <FloatingIp key="floating" instance={instance} address={address} />],
          ['MAC', <Id key="mac" value={address.mac} label="MAC address" full />],
          ['Security groups', <Groups key="groups" ids={port?.security_group_ids ?? instance.security_group_ids} />],
          [
            'Network',
            <Link key="network" href={paths.network(project.slug, address.network_id)} className="hover:underline">
              {network?.name ?? address.network_id}
            </Link>,
          ],
          ['Port', <Id key="port" value={address.port_id} label="port ID" full />],
        ]}
      />
    </Card>
  );
}

/** Actions wait until their port is loaded. */
const READING = 'Loading…';

function whyNotNow({ status }: Instance): string | undefined {
  return status === 'deleting' ? 'This instance is being deleted.' : undefined;
}

function Groups({ ids }: { ids: readonly string[] }) {
  const { project } = useProject();
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  if (ids.length === 0) return <span className="text-caution-ink">None: all traffic is dropped</span>;
  return ids.map((id, position) => (
    <span key={id}>
      <Link href={paths.securityGroup(project.slug, id)} className="hover:underline">
        {groups.data?.rows.find((group) => group.id === id)?.name ?? id}
      </Link>
      {position < ids.length - 1 && ','}
    </span>
  ));
}

/** The floating IP of a port, and how to disassociate it. */
function FloatingIp({ instance, address }: Pick<PortCardProps, 'instance' | 'address'>) {
  const { api } = useProject();
  const confirm = useConfirm();
  const may = useMay('disassociateFloatingIp');
  const list = useList('/api/v1/network/floating-ips', { instance_id: instance.id, limit: 50 });
  const disassociate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/disassociate');
  if (address.floating_ip === null)
    return <span className="text-ink-muted">None: not reachable from the internet</span>;
  const found = list.data?.rows.find((candidate) => candidate.address === address.floating_ip);
  return (
    <>
      <Id value={address.floating_ip} label="floating IP" full />
      <DisabledReason reason={may.reason ?? whyNotNow(instance) ?? (found ? undefined : READING)}>
        <Button
          size="sm"
          variant="quiet"
          onClick={() =>
            found &&
            confirm({
              title: `Disassociate ${found.address} from ${instance.name}?`,
              consequence: 'Connections through this address end immediately. The address stays in the project.',
              confirmLabel: 'Disassociate',
              harmless: true,
              onConfirm: () => disassociate.mutateAsync({ params: { path: { id: found.id } }, body: {} }),
            })
          }
        >
          Disassociate
        </Button>
      </DisabledReason>
      {found && found.forwards.length > 0 && (
        <span className="w-full text-ink-muted text-xs">
          Forwarded on the host:{' '}
          {found.forwards
            .map(({ protocol, port, host_port }) => `${protocol} ${port} at ${found.address}:${host_port}`)
            .join(', ')}
        </span>
      )}
    </>
  );
}
