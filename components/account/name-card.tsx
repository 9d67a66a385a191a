'use client';

import * as z from 'zod/mini';
import { PropertyList } from '@/components/kit/data/property-list';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { text } from '@/lib/client/constraints';
import { updateProfile } from '@/lib/client/operations/auth';

const schema = z.object({
  name: text(updateProfile.fields.name, 'Enter a name.'),
});

interface NameCardProps {
  name: string;
  email: string;
  rename: (name: string) => Promise<unknown>;
  /** Why the last change was refused. */
  error: unknown;
}

/** The name that others see, and the address one signs in with. */
export function NameCard({ name, email, rename, error }: NameCardProps) {
  const form = useSchemaForm(schema, { name });
  return (
    <Card title="Profile">
      <div className="space-y-5">
        <PropertyList items={[['E-mail', email]]} />
        <FormShell
          form={form}
          loading={false}
          error={error}
          failure="The name could not be changed"
          submitLabel="Save name"
          disabledReason={form.formState.isDirty ? undefined : 'No changes to save.'}
          cancel={() => form.reset({ name })}
          onSubmit={async (values) => {
            await rename(values.name);
            form.reset(values);
            void notify('success', 'Name changed');
          }}
        >
          <TextField control={form.control} name="name" label="Name" autoComplete="name" />
        </FormShell>
      </div>
    </Card>
  );
}
