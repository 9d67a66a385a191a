'use client';

import * as z from 'zod/mini';
import { SecurityGroupsField } from '@/components/compute/security-groups-field';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { severalOf } from '@/lib/client/constraints';
import { changePort } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import type { SecurityGroup } from './rules';
import type { Port } from './types';

const schema = z.object({
  security_group_ids: severalOf(changePort.fields.security_group_ids, 'security groups'),
});

interface PortGroupsDialogProps {
  port: Port;
  groups: readonly SecurityGroup[];
  close: () => void;
}

/** Chooses the security groups that a port carries. */
export function PortGroupsDialog({ port, groups, close }: PortGroupsDialogProps) {
  const { api } = useProject();
  const change = api.useMutation('patch', '/api/v1/network/ports/{id}');
  const form = useSchemaForm(schema, { security_group_ids: port.security_group_ids });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Security groups of ${port.ip}`}
      description="Takes effect immediately. Connections that are no longer allowed are cut."
    >
      <FormShell
        form={form}
        loading={false}
        error={change.error}
        failure="The security groups could not be changed"
        submitLabel="Change security groups"
        cancel={close}
        copy={{ operation: changePort, id: port.id, schema, body: (values) => values }}
        onSubmit={async (body) => {
          await change.mutateAsync({ params: { path: { id: port.id } }, body });
          close();
        }}
      >
        <SecurityGroupsField control={form.control} name="security_group_ids" groups={groups} />
      </FormShell>
    </Dialog>
  );
}
