'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import type { SignInStep } from '@/lib/people/identity/portal-sign-in';

const password = z.object({
  email: z.email('Enter an e-mail address, such as ianthe@example.org.'),
  password: z.string().check(z.minLength(1, 'Enter your password.')),
});
const code = z.object({
  code: z.string().check(z.trim(), z.minLength(6, 'Enter six digits from your app, or a recovery code.')),
});

interface SignInStepsProps {
  title: string;
  /** Where it leads. */
  back: string;
  /** Where a forgotten password is reset by mail; absent: nowhere. */
  forgotten?: string;
  withPassword: (email: string, password: string) => Promise<SignInStep>;
  /** A TOTP code or a recovery code, soon after the password. */
  withCode: (code: string) => Promise<SignInStep>;
}

/** Sign-in in one or two steps: the password, then a code where a second factor is in force. */
export function SignInSteps({ title, back, forgotten, withPassword, withCode }: SignInStepsProps) {
  const [step, setStep] = useState<'password' | 'code'>('password');
  // A full load: nothing that an earlier person saw stays in memory.
  const enter = () => window.location.assign(back);
  return step === 'password' ? (
    <PasswordStep
      title={title}
      forgotten={forgotten}
      send={withPassword}
      onDone={enter}
      onCodeNeeded={() => setStep('code')}
    />
  ) : (
    <CodeStep send={withCode} onDone={enter} onStartAgain={() => setStep('password')} />
  );
}

interface PasswordStepProps {
  title: string;
  forgotten: string | undefined;
  send: SignInStepsProps['withPassword'];
  onDone: () => void;
  onCodeNeeded: () => void;
}

function PasswordStep({ title, forgotten, send, onDone, onCodeNeeded }: PasswordStepProps) {
  const form = useSchemaForm(password, { email: '', password: '' });
  const [problem, setProblem] = useState<string>();
  const submit = form.handleSubmit(async ({ email, password: secret }) => {
    const outcome = await send(email, secret);
    if (outcome.done) return stay(onDone);
    if (outcome.code === 'MFA_REQUIRED') return onCodeNeeded();
    setProblem(reason(outcome));
    form.setFocus('password', { shouldSelect: true });
  });
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <h1 className="font-semibold text-xl tracking-[-0.017em]">{title}</h1>
      <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
      <TextField
        control={form.control}
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
      />
      <Problem text={problem} />
      <Button type="submit" variant="primary" size="lg" className="w-full" pending={form.formState.isSubmitting}>
        Sign in
      </Button>
      {forgotten !== undefined && (
        <ButtonLink href={forgotten} variant="quiet" className="w-full">
          Forgot password?
        </ButtonLink>
      )}
    </form>
  );
}

interface CodeStepProps {
  send: SignInStepsProps['withCode'];
  onDone: () => void;
  onStartAgain: () => void;
}

function CodeStep({ send, onDone, onStartAgain }: CodeStepProps) {
  const form = useSchemaForm(code, { code: '' });
  const [problem, setProblem] = useState<string>();
  const submit = form.handleSubmit(async (given) => {
    const outcome = await send(given.code);
    if (outcome.done) return stay(onDone);
    if (outcome.code === 'UNAUTHENTICATED') return onStartAgain();
    setProblem(reason(outcome));
    form.setFocus('code', { shouldSelect: true });
  });
  return (
    <form noValidate onSubmit={submit} className="space-y-5">
      <div>
        <h1 className="font-semibold text-xl tracking-[-0.017em]">Two-factor authentication</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          Enter the six digits from your authenticator app, or a recovery code.
        </p>
      </div>
      <TextField control={form.control} name="code" label="Code" autoComplete="one-time-code" mono autoFocus />
      <Problem text={problem} />
      <div className="space-y-2">
        <Button type="submit" variant="primary" size="lg" className="w-full" pending={form.formState.isSubmitting}>
          Continue
        </Button>
        <Button variant="quiet" className="w-full" onClick={onStartAgain}>
          Use another account
        </Button>
      </div>
    </form>
  );
}

/** Keeps the button busy until the next page is there. */
function stay(leaveFor: () => void): Promise<never> {
  leaveFor();
  return new Promise(() => {});
}

function Problem({ text }: { text: string | undefined }) {
  return (
    <p role="alert" className="text-pretty text-critical-ink text-sm empty:hidden">
      {text}
    </p>
  );
}

function reason(outcome: Extract<SignInStep, { done: false }>): string {
  switch (outcome.code) {
    case 'INVALID_CREDENTIALS':
      return 'E-mail or password is wrong.';
    case 'TOTP_INVALID':
      return 'This code is wrong or was already used. Wait for the next one.';
    case 'TENANT_SUSPENDED':
      return 'Your project is suspended. Contact the platform administrators.';
    case 'RATE_LIMITED': {
      const seconds = 'retry_after_s' in outcome ? (outcome.retry_after_s ?? 60) : 60;
      const minutes = Math.max(1, Math.ceil(seconds / 60));
      return `Too many failed attempts. Try again in ${minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`}.`;
    }
    case 'CONNECTION_LOST':
      return 'Nephele is not responding. Check your connection, or try again later.';
    default:
      return 'Sign-in failed. Try again in a moment.';
  }
}
