'use client';

import { type ComponentProps, useState } from 'react';
import * as z from 'zod/mini';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { notify } from '@/components/kit/ui/notify';
import { formatCount } from '@/lib/format/quantity';

const SecondFactorSetup = lazyComponent(() =>
  import('@/components/identity/second-factor-setup').then((module) => module.SecondFactorSetup),
);

interface SecondFactorCardProps extends Pick<ComponentProps<typeof SecondFactorSetup>, 'email' | 'setUp' | 'activate'> {
  enabled: boolean;
  recoveryCodesLeft: number;
  disable: (code: string) => Promise<unknown>;
  /** Why it can't be turned off here. */
  required?: string | undefined;
  /** Why the last try to turn it off was refused. */
  disableError: unknown;
  /** Reads the account anew. */
  onChanged: () => void;
}

/** The second factor of one's own account: set up with a QR code, and turned off with a code. */
export function SecondFactorCard(props: SecondFactorCardProps) {
  const { enabled, recoveryCodesLeft, email, setUp, activate, disable, required, disableError, onChanged } = props;
  const [step, setStep] = useState<'rest' | 'set_up' | 'turn_off'>('rest');
  const rest = () => {
    setStep('rest');
    onChanged();
  };
  return (
    <Card
      title="Two-factor authentication"
      description="Requires a code from your authenticator app when you sign in."
      actions={<StatusBadge status={enabled ? 'enabled' : 'disabled'} />}
    >
      {step === 'turn_off' ? (
        <TurnOff disable={disable} error={disableError} close={rest} />
      ) : enabled && step === 'rest' ? (
        <div className="space-y-4">
          <p className="text-pretty text-ink-muted text-sm">
            {formatCount(recoveryCodesLeft, 'recovery code')} left.
            {recoveryCodesLeft < 4 &&
              (required
                ? ' To get ten new ones, have two-factor authentication reset and set it up again.'
                : ' To get ten new ones, turn two-factor authentication off and set it up again.')}
          </p>
          <DisabledReason reason={required}>
            <Button onClick={() => setStep('turn_off')}>Turn off</Button>
          </DisabledReason>
        </div>
      ) : (
        <SecondFactorSetup
          email={email}
          setUp={() => {
            // From here on it stays, also when the account says "enabled": the recovery codes are still to be shown.
            setStep('set_up');
            return setUp();
          }}
          activate={activate}
          onDone={rest}
          {...(step === 'set_up' ? { onCancel: rest } : {})}
        />
      )}
    </Card>
  );
}

const schema = z.object({
  code: z.string().check(z.trim(), z.minLength(6, 'Enter six digits from your app, or a recovery code.')),
});

interface TurnOffProps {
  disable: SecondFactorCardProps['disable'];
  error: unknown;
  close: () => void;
}

function TurnOff({ disable, error, close }: TurnOffProps) {
  const form = useSchemaForm(schema, { code: '' });
  return (
    <FormShell
      form={form}
      loading={false}
      error={error}
      failure="Two-factor authentication could not be turned off"
      submitLabel="Turn off two-factor authentication"
      cancel={close}
      onSubmit={async ({ code }) => {
        await disable(code);
        void notify('success', 'Two-factor authentication turned off');
        close();
      }}
    >
      <p className="text-pretty text-ink-muted text-sm">
        You will sign in with your password only. The key in your app and the recovery codes stop working.
      </p>
      <TextField
        control={form.control}
        name="code"
        label="Code"
        description="From your app, or a recovery code."
        autoComplete="one-time-code"
        width="short"
        mono
        autoFocus
      />
    </FormShell>
  );
}
