'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { ChoiceField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { exactText } from '@/lib/client/constraints';
import { changePassword } from '@/lib/client/operations/auth';

const schema = z.object({
  current_password: z.string().check(z.minLength(1, 'Enter your current password.')),
  new_password: exactText(changePassword.fields.new_password),
  revoke_tokens: z.boolean(),
});

interface PasswordCardProps {
  change: (body: z.output<typeof schema>) => Promise<unknown>;
  /** Why the last change was refused. */
  error: unknown;
}

/** Sets a new password, which ends all other sessions and, if chosen, the person's API tokens. */
export function PasswordCard({ change, error }: PasswordCardProps) {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Password"
      description="Changing it ends all your other sessions."
      actions={!open && <Button onClick={() => setOpen(true)}>Change password</Button>}
    >
      {open ? (
        <PasswordForm change={change} error={error} close={() => setOpen(false)} />
      ) : (
        <p className="text-ink-muted text-sm">At least 10 characters. Length matters more than special characters.</p>
      )}
    </Card>
  );
}

function PasswordForm({ change, error, close }: PasswordCardProps & { close: () => void }) {
  const form = useSchemaForm(schema, { current_password: '', new_password: '', revoke_tokens: false });
  return (
    <FormShell
      form={form}
      loading={false}
      error={error}
      failure="The password could not be changed"
      submitLabel="Set new password"
      cancel={close}
      onSubmit={async (body) => {
        await change(body);
        const ended = body.revoke_tokens ? 'Your other sessions and your API tokens' : 'Your other sessions';
        void notify('success', 'Password changed', { description: `${ended} have ended.` });
        close();
      }}
    >
      <TextField
        control={form.control}
        name="current_password"
        label="Current password"
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
      <ChoiceField
        control={form.control}
        name="revoke_tokens"
        label="Revoke my API tokens"
        description="In all projects. Choose this if someone else may know your password; scripts then need new tokens."
      />
    </FormShell>
  );
}
