'use client';

import { useMutation } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { CardsField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import type { Row } from '@/lib/client/list';
import { type Role, useProject } from '@/lib/client/project';
import { changeRole } from './change-role';
import { roleOptions } from './roles';

const schema = z.object({ role: z.enum(['reader', 'member', 'admin']) });

interface RoleDialogProps {
  user: Row<'/api/v1/identity/users'>;
  close: () => void;
}

/** Chooses what a user may do in the project. */
export function RoleDialog({ user, close }: RoleDialogProps) {
  const { client, project } = useProject();
  const change = useMutation({ mutationFn: (role: Role) => changeRole(client, user, role) });
  const form = useSchemaForm(schema, { role: user.roles[0] ?? 'reader' });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Role of ${user.name}`}
      description={`In ${project.name}. Takes effect immediately, also for their API tokens.`}
    >
      <FormShell
        form={form}
        loading={false}
        error={change.error}
        failure="The role could not be changed"
        submitLabel="Change role"
        cancel={close}
        onSubmit={async ({ role }) => {
          await change.mutateAsync(role);
          close();
        }}
      >
        <CardsField control={form.control} name="role" label="Role" options={roleOptions} />
      </FormShell>
    </Dialog>
  );
}
