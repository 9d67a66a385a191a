'use client';

import { KeyRound } from 'lucide-react';
import { Id } from '@/components/kit/data/id';
import { Secret } from '@/components/kit/data/secret';
import type { Credentials } from './types';

/** New credentials, which the API gives only once. */
export function NewCredentials({ credentials }: { credentials: Credentials }) {
  const { username, password, database, api_key } = credentials;
  return (
    <section aria-label="Credentials" className="rounded-lg border border-caution/40 bg-caution-soft p-4 text-sm">
      <p className="flex gap-2.5 font-medium">
        <KeyRound className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
        Copy these now. They are not shown again.
      </p>
      <dl className="mt-3 grid gap-3 sm:grid-cols-2">
        {username !== undefined && (
          <Part term="User name">
            <Id value={username} label="user name" full />
          </Part>
        )}
        {database !== undefined && (
          <Part term="Database">
            <Id value={database} label="database" full />
          </Part>
        )}
        {password !== undefined && (
          <Part term="Password" wide>
            <Secret value={password} label="password" />
          </Part>
        )}
        {api_key !== undefined && (
          <Part term="API key" wide>
            <Secret value={api_key} label="API key" />
          </Part>
        )}
      </dl>
    </section>
  );
}

function Part({ term, wide = false, children }: { term: string; wide?: boolean; children: React.ReactNode }) {
  return (
    <div className={wide ? 'min-w-0 sm:col-span-2' : 'min-w-0'}>
      <dt className="mb-1 text-ink-muted text-xs">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
