'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { exactText } from '@/lib/client/constraints';
import { ApiError } from '@/lib/client/errors';
import { useHydrated } from '@/lib/client/hydrated';
import { resetPassword } from '@/lib/client/operations/auth';
import { ApiScope, useApi } from '@/lib/client/scope';
import { paths } from '@/lib/paths';

const schema = z.object({
  new_password: exactText(resetPassword.fields.new_password),
});

/** Sets a new password with the link that was mailed. */
export function ResetPassword() {
  const hydrated = useHydrated();
  // The token follows the #, which no server sees.
  const token = hydrated ? window.location.hash.slice(1) : '';
  return (
    <ApiScope realm={{ kind: 'person' }}>
      {hydrated && (token === '' ? <DeadLink /> : <Choose token={token} />)}
    </ApiScope>
  );
}

function Choose({ token }: { token: string }) {
  const { api } = useApi();
  const reset = api.useMutation('post', '/api/v1/auth/password-reset/confirm', { gcTime: 0 });
  const form = useSchemaForm(schema, { new_password: '' });
  const [changed, setChanged] = useState(false);
  const submit = form.handleSubmit(async ({ new_password }) => {
    try {
      await reset.mutateAsync({ body: { token, new_password } });
      setChanged(true);
    } catch {
      // Shown below, or in place of the form.
    }
  });
  if (changed) return <Changed />;
  if (reset.error instanceof ApiError && reset.error.code === 'INVALID_CREDENTIALS') return <DeadLink />;
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <div>
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Choose a new password</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          It ends all sessions and API tokens of the account. A second factor stays in force.
        </p>
      </div>
      <TextField
        control={form.control}
        name="new_password"
        label="New password"
        description="At least 10 characters."
        type="password"
        autoComplete="new-password"
        autoFocus
      />
      {reset.error !== null && <ErrorNotice title="The password was not changed" error={reset.error} />}
      <Button type="submit" variant="primary" size="lg" className="w-full" pending={form.formState.isSubmitting}>
        Set password
      </Button>
    </form>
  );
}

function Changed() {
  return (
    <div className="space-y-5">
      <div role="status">
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Your password is changed</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          All sessions and API tokens of the account have ended.
        </p>
      </div>
      <ButtonLink href={paths.signIn()} variant="primary" size="lg" className="w-full">
        Sign in
      </ButtonLink>
    </div>
  );
}

function DeadLink() {
  return (
    <div className="space-y-5">
      <div role="alert">
        <h1 className="font-semibold text-xl tracking-[-0.017em]">This link does not work</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          It is incomplete, expired or was used already. A link works once, within an hour.
        </p>
      </div>
      <ButtonLink href={paths.forgotPassword()} variant="primary" size="lg" className="w-full">
        Request a new link
      </ButtonLink>
    </div>
  );
}
