'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { CopyButton } from '@/components/kit/data/copy-button';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { ApiError } from '@/lib/client/errors';
import { RecoveryCodes } from './recovery-codes';

/** What an authenticator app must know. */
interface Key {
  secret: string;
  /** A PNG in a data URI. */
  qr_code: string;
}

interface SecondFactorSetupProps {
  email: string;
  /** Makes a key, which is not yet in force. */
  setUp: () => Promise<Key>;
  /** Puts it in force with its first code; gives the recovery codes. */
  activate: (code: string) => Promise<readonly string[]>;
  onDone: () => void;
  onCancel?: () => void;
}

/** Sets a second factor up in three steps: a key into the app, its first code, the recovery codes out of here. */
export function SecondFactorSetup({ email, setUp, activate, onDone, onCancel }: SecondFactorSetupProps) {
  const [key, setKey] = useState<Key>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [beginning, setBeginning] = useState(false);
  const [error, setError] = useState<unknown>();

  const begin = async () => {
    setBeginning(true);
    setError(undefined);
    await setUp().then(setKey, setError);
    setBeginning(false);
  };

  if (codes) return <RecoveryCodes codes={codes} email={email} onDone={onDone} />;
  if (key) return <FirstCode secretKey={key} activate={activate} onActivated={setCodes} onCancel={onCancel} />;
  return (
    <div className="space-y-4">
      <p className="text-pretty text-ink-muted text-sm">
        Use an authenticator app or a password manager with one-time codes. Each sign-in then also asks for a code, so a
        stolen password is not enough.
      </p>
      {error !== undefined && <ErrorNotice title="No key could be created" error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" pending={beginning} onClick={begin}>
          Set up two-factor authentication
        </Button>
        {onCancel && (
          <Button variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

const schema = z.object({
  code: z.string().check(z.trim(), z.regex(/^\d{6}$/, 'Enter the six digits from your app.')),
});

interface FirstCodeProps extends Pick<SecondFactorSetupProps, 'activate'> {
  secretKey: Key;
  onActivated: (codes: readonly string[]) => void;
  onCancel: (() => void) | undefined;
}

function FirstCode({ secretKey, activate, onActivated, onCancel }: FirstCodeProps) {
  const form = useSchemaForm(schema, { code: '' });
  const [error, setError] = useState<unknown>();
  const { secret, qr_code } = secretKey;
  const submit = form.handleSubmit(async ({ code }) => {
    setError(undefined);
    await activate(code).then(onActivated, (failure: unknown) => {
      if (!(failure instanceof ApiError && failure.code === 'TOTP_INVALID')) return setError(failure);
      form.setError('code', { message: 'The code does not match this key. Wait for the next code and try again.' });
      form.setFocus('code', { shouldSelect: true });
    });
  });
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <div className="flex flex-wrap items-start gap-5">
        {/* biome-ignore lint/performance/noImgElement: a data URI has nothing to be optimised */}
        <img
          src={qr_code}
          width={168}
          height={168}
          alt="QR code of the key, for your authenticator app"
          className="rounded-md border bg-[white] p-1"
        />
        <div className="min-w-0 flex-1 basis-48 space-y-1.5 text-sm">
          <p className="text-pretty text-ink-muted">Scan this code with your app, or enter the key manually:</p>
          <p className="flex items-center gap-1 rounded-md border bg-sunken py-1 pr-1 pl-2.5">
            <code className="min-w-0 flex-1 select-all break-all font-mono text-xs">{secret}</code>
            <CopyButton value={secret} label="key" />
          </p>
        </div>
      </div>
      <TextField
        control={form.control}
        name="code"
        label="Code"
        description="The six digits from your app."
        inputMode="numeric"
        autoComplete="one-time-code"
        width="short"
        mono
        autoFocus
      />
      {error !== undefined && <ErrorNotice title="Two-factor authentication could not be activated" error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Activate
        </Button>
        {onCancel && (
          <Button variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
