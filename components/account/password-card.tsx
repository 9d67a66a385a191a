'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { TextField } from '@/components/form/fields';
import { FormShell, useSchemaForm } from '@/components/form/form-shell';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { notify } from '@/components/ui/notify';

const schema = z.object({
  current_password: z.string().check(z.minLength(1, 'Write your present password.')),
  new_password: z.string().check(z.minLength(10, 'At least 10 characters.'), z.maxLength(256, 'Up to 256 characters.')),
});

interface PasswordCardProps {
  change: (passwords: z.output<typeof schema>) => Promise<unknown>;
  /** Why the last change was refused. */
  error: unknown;
}

/** Sets a new password; all other sessions end with the old one. */
export function PasswordCard({ change, error }: PasswordCardProps) {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Password"
      description="A new one ends every other session of yours."
      actions={!open && <Button onClick={() => setOpen(true)}>Change password</Button>}
    >
      {open ? (
        <PasswordForm change={change} error={error} close={() => setOpen(false)} />
      ) : (
        <p className="text-ink-muted text-sm">At least 10 characters. Length protects more than odd characters do.</p>
      )}
    </Card>
  );
}

function PasswordForm({ change, error, close }: PasswordCardProps & { close: () => void }) {
  const form = useSchemaForm(schema, { current_password: '', new_password: '' });
  return (
    <FormShell
      form={form}
      loading={false}
      error={error}
      failure="The password could not be changed"
      submitLabel="Set new password"
      cancel={close}
      onSubmit={async (passwords) => {
        await change(passwords);
        void notify('success', 'Your password is changed', { description: 'All your other sessions have ended.' });
        close();
      }}
    >
      <TextField
        control={form.control}
        name="current_password"
        label="Present password"
        type="password"
        autoComplete="current-password"
        autoFocus
      />
      <TextField
        control={form.control}
        name="new_password"
        label="New password"
        type="password"
        autoComplete="new-password"
      />
    </FormShell>
  );
}
