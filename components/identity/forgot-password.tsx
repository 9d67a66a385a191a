'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { ApiScope, useApi } from '@/lib/client/scope';
import { paths } from '@/lib/paths';

const schema = z.object({ email: z.email('Enter an e-mail address, such as ianthe@example.org.') });

/** Has a link for a new password mailed. */
export function ForgotPassword() {
  return (
    <ApiScope realm={{ kind: 'person' }}>
      <Request />
    </ApiScope>
  );
}

function Request() {
  const { api } = useApi();
  const ask = api.useMutation('post', '/api/v1/auth/password-reset');
  const form = useSchemaForm(schema, { email: '' });
  const [asked, setAsked] = useState<string>();
  const submit = form.handleSubmit(async (body) => {
    try {
      await ask.mutateAsync({ body });
      setAsked(body.email);
    } catch {
      // The notice below shows it.
    }
  });
  if (asked !== undefined) return <Sent email={asked} />;
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <div>
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Forgot your password?</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          Enter your e-mail address to get a link for a new password. This also takes back an account that somebody else
          created with your address.
        </p>
      </div>
      <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
      {ask.error !== null && <ErrorNotice title="The link was not requested" error={ask.error} />}
      <div className="space-y-2">
        <Button type="submit" variant="primary" size="lg" className="w-full" pending={form.formState.isSubmitting}>
          Send link
        </Button>
        <ButtonLink href={paths.signIn()} variant="quiet" className="w-full">
          Back to sign-in
        </ButtonLink>
      </div>
    </form>
  );
}

function Sent({ email }: { email: string }) {
  return (
    <div className="space-y-5">
      <div role="status">
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Check your mail</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          If {email} has an account, a link is on its way. It works for an hour. Nothing arrived? Look among spam, or
          ask the administrators of this platform.
        </p>
      </div>
      <ButtonLink href={paths.signIn()} className="w-full">
        Back to sign-in
      </ButtonLink>
    </div>
  );
}
