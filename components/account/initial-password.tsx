'use client';

import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import type { Realm } from '@/components/kit/page/place';
import { Button } from '@/components/kit/ui/button';
import { exactText } from '@/lib/client/constraints';
import { useHydrated } from '@/lib/client/hydrated';
import { changePassword } from '@/lib/client/operations/auth';
import { ApiScope, useApi } from '@/lib/client/scope';

interface InitialPasswordProps {
  realm: Realm;
  email: string;
  /** The page to open afterwards. */
  back: string;
}

/** The form that replaces an initial password. Hydration would discard input typed before it. */
export function InitialPassword(props: InitialPasswordProps) {
  const hydrated = useHydrated();
  return <ApiScope realm={{ kind: 'person' }}>{hydrated && <ChoosePassword {...props} />}</ApiScope>;
}

const schema = z
  .object({
    current_password: z.string().check(z.minLength(1, 'Enter your initial password.')),
    new_password: exactText(changePassword.fields.new_password),
  })
  .check(
    z.refine(({ current_password, new_password }) => current_password !== new_password, {
      error: 'Choose a password that differs from the initial one.',
      path: ['new_password'],
    }),
  );

function ChoosePassword({ realm, email, back }: InitialPasswordProps) {
  const { api } = useApi();
  const path = realm === 'portal' ? '/api/v1/auth/password' : '/admin/api/v1/auth/password';
  const change = api.useMutation('post', path, { gcTime: 0 });
  const form = useSchemaForm(schema, { current_password: '', new_password: '' });
  const submit = form.handleSubmit(async (body) => {
    try {
      await change.mutateAsync({ body });
      window.location.assign(back);
    } catch {
      // Shown below.
    }
  });
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <div>
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Choose your password</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          The password of <span className="break-all">{email}</span> was chosen by someone else. Choose one that only
          you know.
        </p>
      </div>
      <TextField
        control={form.control}
        name="current_password"
        label="Initial password"
        type="password"
        autoComplete="current-password"
        autoFocus
      />
      <TextField
        control={form.control}
        name="new_password"
        label="New password"
        description="At least 10 characters."
        type="password"
        autoComplete="new-password"
      />
      {change.error !== null && <ErrorNotice title="The password could not be changed" error={change.error} />}
      <Button type="submit" variant="primary" size="lg" className="w-full" pending={form.formState.isSubmitting}>
        Set password
      </Button>
    </form>
  );
}
