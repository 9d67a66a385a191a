'use client';

import * as z from 'zod/mini';
import { SelectField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import type { Option } from '@/components/kit/ui/option';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useLoadBalancerOfPort } from '@/components/loadbalancing/load-balancer-of-port';
import { type ListPage, useList } from '@/lib/client/list';
import { associateFloatingIp } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { holderOf } from './port-holder';
import type { FloatingIp, Port } from './types';

const schema = z.object({ port_id: z.string().check(z.minLength(1, 'Choose an instance.')) });

interface AssociateDialogProps {
  floatingIp: FloatingIp;
  close: () => void;
}

/** Chooses what a floating IP leads to: any port that has none yet. */
export function AssociateDialog({ floatingIp, close }: AssociateDialogProps) {
  const ports = useList('/api/v1/network/ports', { limit: 200 });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Associate ${floatingIp.address}`}
      description="Traffic of this address goes to and from one port. The port’s security groups apply."
    >
      <Loaded query={ports} what="The ports" skeleton={<Skeleton className="h-24 w-full" />}>
        {({ rows }: ListPage<Port>) => <TargetForm floatingIp={floatingIp} ports={rows} close={close} />}
      </Loaded>
    </Dialog>
  );
}

function TargetForm({ floatingIp: { id }, ports, close }: AssociateDialogProps & { ports: readonly Port[] }) {
  const { api } = useProject();
  const associate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/associate');
  const form = useSchemaForm(schema, { port_id: '' });
  const balancerOf = useLoadBalancerOfPort();
  const options = ports.map((port) => targetOption(port, balancerOf(port.id)?.name)).sort(freeFirst);
  return (
    <FormShell
      form={form}
      loading={false}
      error={associate.error}
      failure="The floating IP could not be associated"
      submitLabel="Associate"
      disabledReason={whyNone(ports)}
      cancel={close}
      copy={{ operation: associateFloatingIp, id, schema, body: (values) => values }}
      onSubmit={async (body) => {
        await associate.mutateAsync({ params: { path: { id } }, body });
        close();
      }}
    >
      <SelectField
        control={form.control}
        name="port_id"
        label="Instance"
        description={whyNone(ports)}
        placeholder="Choose an instance…"
        options={options}
      />
    </FormShell>
  );
}

function targetOption(port: Port, balancer?: string): Option {
  const { id, ip, instance_name, network_name, floating_ip } = port;
  return {
    value: id,
    label: `${instance_name ?? balancer ?? holderOf(port)} · ${ip}`,
    description: `On network ${network_name}`,
    ...(floating_ip === null ? {} : { disabledReason: `Already has ${floating_ip}` }),
  };
}

function freeFirst(one: Option, other: Option): number {
  const taken = (option: Option) => (option.disabledReason === undefined ? 0 : 1);
  return taken(one) - taken(other) || one.label.localeCompare(other.label);
}

function whyNone(ports: readonly Port[]): string | undefined {
  if (ports.length === 0) return 'No instances yet. Create one first.';
  return ports.every(({ floating_ip }) => floating_ip !== null) ? 'Every port already has a floating IP.' : undefined;
}
