'use client';

import { AppWindow } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { PropertyList } from '@/components/kit/data/property-list';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { paths } from '@/lib/paths';
import type { PendingConsent } from '@/lib/people/oidc/consent';

const decided = z.object({ location: z.string() });
const refused = z.object({ error: z.object({ message: z.string() }) });

/** Tells the provider. @returns where the browser goes on */
async function decide(uid: string, granted: boolean): Promise<string> {
  const response = await fetch(`/oidc/interaction/${encodeURIComponent(uid)}/decision`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ granted }),
  });
  const body: unknown = await response.json();
  if (response.ok) return z.parse(decided, body).location;
  const { data } = z.safeParse(refused, body);
  throw new Error(data?.error.message ?? 'The platform did not respond as expected. Try again.');
}

/** What an application learns with each scope. */
const scopeTexts: Readonly<Record<string, string>> = {
  profile: 'your name',
  email: 'your e-mail address',
  offline_access: 'access while you are signed out, for up to 14 days',
};

/** Asks whether an application may sign this person in. */
export function Consent({ pending, email }: { pending: PendingConsent; email: string }) {
  const { uid, client, project, redirect_host, scopes } = pending;
  const [chosen, choose] = useState<boolean>();
  const [error, setError] = useState<string>();
  const answer = async (granted: boolean) => {
    choose(granted);
    setError(undefined);
    try {
      window.location.assign(await decide(uid, granted));
    } catch (caught) {
      setError(caught instanceof Error ? caught.message : String(caught));
      choose(undefined);
    }
  };
  const learns = ['your role in the project', ...scopes.flatMap((scope) => scopeTexts[scope] ?? [])];
  return (
    <div className="space-y-5">
      <div>
        <AppWindow className="mb-3 size-8 text-ink-muted" aria-hidden />
        <h1 className="break-words font-semibold text-xl tracking-[-0.017em]">Sign in to {client}?</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">
          {client} wants to sign you in with your Nephele account. It does not get your password.
        </p>
      </div>
      <PropertyList
        items={[
          ['Account', email],
          ['Project', project],
          [
            'Returns to',
            <strong key="host" className="break-all font-medium font-mono text-xs">
              {redirect_host}
            </strong>,
          ],
          [
            'Receives',
            <ul key="learns" className="list-disc pl-4">
              {learns.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>,
          ],
        ]}
      />
      {error !== undefined && (
        <p role="alert" className="text-critical-ink text-sm">
          {error}
        </p>
      )}
      <div className="space-y-2">
        <Button
          variant="primary"
          size="lg"
          className="w-full"
          pending={chosen === true}
          disabled={chosen === false}
          onClick={() => answer(true)}
        >
          Allow
        </Button>
        <Button
          variant="quiet"
          className="w-full"
          pending={chosen === false}
          disabled={chosen === true}
          onClick={() => answer(false)}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** There is nothing to decide any more. */
export function ConsentExpired() {
  return (
    <div className="space-y-5">
      <div role="status">
        <h1 className="font-semibold text-xl tracking-[-0.017em]">This sign-in has expired</h1>
        <p className="mt-1.5 text-pretty text-ink-muted text-sm">Start again from the application.</p>
      </div>
      <ButtonLink href={paths.home()} className="w-full">
        Go to Nephele
      </ButtonLink>
    </div>
  );
}
