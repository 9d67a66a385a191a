'use client';

import { useRouter } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { ChoiceField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { freeRange, isAddress, overlapping, readCidr } from '@/components/network/cidr';
import { CidrReading } from '@/components/network/cidr-reading';
import type { Network } from '@/components/network/types';
import { text } from '@/lib/client/constraints';
import { type ListPage, useList } from '@/lib/client/list';
import { createNetwork } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const listOf = (text: string) => text.split(/[\s,;]+/).filter((part) => part !== '');

const schema = z.object({
  name: text(createNetwork.fields.name, 'Enter a name.'),
  cidr: z.string().check(
    z.trim(),
    z.check(({ value, issues }) => {
      const reading = readCidr(value);
      if ('problem' in reading) issues.push({ code: 'custom', input: value, message: reading.problem });
    }),
  ),
  gateway_ip: z.string().check(
    z.trim(),
    z.refine((typed) => typed === '' || isAddress(typed), 'Enter an IPv4 address, such as 10.20.0.1.'),
  ),
  dhcp_enabled: z.boolean(),
  dns_servers: z.string().check(
    z.refine((typed) => listOf(typed).every(isAddress), 'Enter IPv4 addresses separated by commas.'),
    z.refine((typed) => listOf(typed).length <= createNetwork.fields.dns_servers.maxItems, 'Up to three.'),
  ),
});

function bodyOf({ gateway_ip, dns_servers, ...values }: z.output<typeof schema>) {
  return { ...values, dns_servers: listOf(dns_servers), ...(gateway_ip === '' ? {} : { gateway_ip }) };
}

/** Creates a private network; what its range means is read while it is written. */
export default function NewNetworkPage() {
  const networks = useList('/api/v1/network/networks', { limit: 200 });
  return (
    <Page title="Create network">
      <Loaded query={networks} what="The networks" skeleton={<Skeleton className="h-80 w-full max-w-2xl" />}>
        {({ rows }: ListPage<Network>) => <NetworkForm networks={rows} />}
      </Loaded>
    </Page>
  );
}

function NetworkForm({ networks }: { networks: readonly Network[] }) {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/network/networks');
  const form = useSchemaForm(schema, {
    name: '',
    cidr: freeRange(networks),
    gateway_ip: '',
    dhcp_enabled: true,
    dns_servers: '',
  });
  const [cidr = '', gateway = '', dhcp] = useWatch({
    control: form.control,
    name: ['cidr', 'gateway_ip', 'dhcp_enabled'],
  });
  const range = cidr.trim();
  const collides = !('problem' in readCidr(range)) && overlapping(range, networks).length > 0;
  return (
    <FormShell
      form={form}
      loading={false}
      error={create.error}
      failure="The network could not be created"
      submitLabel="Create network"
      operation="createNetwork"
      disabledReason={collides ? 'The IP range overlaps another network. Choose another one.' : undefined}
      copy={{ operation: createNetwork, schema, body: bodyOf }}
      cancel={paths.networks(project.slug)}
      aside={<CidrReading cidr={range} gateway={gateway.trim()} networks={networks} />}
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync({ body: bodyOf(values) });
        router.push(paths.network(project.slug, id));
      }}
    >
      <TextField control={form.control} name="name" label="Name" placeholder="backend" autoComplete="off" autoFocus />
      <TextField
        control={form.control}
        name="cidr"
        label="IP range"
        description="In CIDR notation. A /24 has 256 addresses, a /20 has 4,096. Within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16."
        mono
        autoComplete="off"
      />
      <TextField
        control={form.control}
        name="gateway_ip"
        label="Gateway"
        description="The router’s address on this network. Leave empty for the first address of the range."
        optional
        mono
        autoComplete="off"
      />
      <ChoiceField
        control={form.control}
        name="dhcp_enabled"
        form="switch"
        label="DHCP"
        description={
          dhcp
            ? 'Guests get their IP address, gateway and DNS servers automatically.'
            : 'Configure the IP address of each guest manually or with cloud-init.'
        }
      />
      <TextField
        control={form.control}
        name="dns_servers"
        label="DNS servers"
        description="Up to three, separated by commas. Leave empty for the platform’s resolver at the gateway."
        placeholder="9.9.9.9, 1.1.1.1"
        optional
        mono
        autoComplete="off"
      />
    </FormShell>
  );
}
