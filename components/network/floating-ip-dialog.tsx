'use client';

import * as z from 'zod/mini';
import { SelectField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Dialog } from '@/components/kit/ui/dialog';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

/** Not the id of an address: one is allocated first. */
const NEW = 'new';
const schema = z.object({ id: z.string().check(z.minLength(1, 'Choose a floating IP.')) });

interface FloatingIpDialogProps {
  /** The resource with the port, in a word: "instance". */
  noun: string;
  name: string;
  port: { id: string };
  close: () => void;
}

/** Associates a floating IP with a port: one of the project's, or a new one. */
export function FloatingIpDialog({ noun, name, port, close }: FloatingIpDialogProps) {
  const { api } = useProject();
  const free = useList('/api/v1/network/floating-ips', { status: 'available', limit: 100 });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Associate a floating IP with ${name}`}
      description={`The ${noun} becomes reachable from the internet at this address, as its security groups allow.`}
    >
      {free.error && !free.data ? (
        <ErrorNotice title="The floating IPs could not be loaded" error={free.error} />
      ) : (
        <ChooseAddress
          key={free.data ? 'ready' : 'loading'}
          free={free.data?.rows}
          port={port}
          close={close}
          api={api}
        />
      )}
    </Dialog>
  );
}

interface ChooseAddressProps {
  free: readonly { id: string; address: string }[] | undefined;
  port: { id: string };
  close: () => void;
  api: ReturnType<typeof useProject>['api'];
}

function ChooseAddress({ free, port, close, api }: ChooseAddressProps) {
  const allocate = api.useMutation('post', '/api/v1/network/floating-ips');
  const associate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/associate');
  const form = useSchemaForm(schema, { id: free?.[0]?.id ?? NEW });
  return (
    <FormShell
      form={form}
      loading={free === undefined}
      error={allocate.error ?? associate.error}
      failure="The floating IP was not associated"
      submitLabel="Associate"
      cancel={close}
      onSubmit={async ({ id }) => {
        const chosen = id === NEW ? (await allocate.mutateAsync({ body: {} })).id : id;
        // If the association fails, the next attempt uses the address that was allocated.
        form.setValue('id', chosen);
        await associate.mutateAsync({ params: { path: { id: chosen } }, body: { port_id: port.id } });
        close();
      }}
    >
      <SelectField
        control={form.control}
        name="id"
        label="Floating IP"
        options={[
          ...(free ?? []).map(({ id, address }) => ({ value: id, label: address, description: 'Not associated' })),
          { value: NEW, label: 'Allocate a new one', description: 'From the platform’s pool' },
        ]}
      />
    </FormShell>
  );
}
