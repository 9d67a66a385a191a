'use client';

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { type ApiClient, createApi, createApiHooks, type Send, send, sendToSuspended } from './api';
import { LiveUpdates } from './live-updates';
import { createQueryClient } from './query';

/** The part of the API that pages use: one project's, that of a person without a project, or the back office's. */
export type Realm = { kind: 'project'; id: string; suspended: boolean } | { kind: 'person' } | { kind: 'backoffice' };

interface Scope {
  client: ApiClient;
  api: ReturnType<typeof createApiHooks>;
  /** For requests that the typed hooks don't cover, such as reads that need response headers. */
  send: Send;
  /** Headers that name the project of a request. */
  headers: Record<string, string>;
}

const events = { project: '/api/v1/events', backoffice: '/admin/api/v1/events' } as const;

/** The topic of the record that the server renders around the pages: the project's name and status. */
const frames = { project: 'tenant', backoffice: undefined } as const;

const ScopeContext = createContext<Scope | undefined>(undefined);

/** The API client and realm of these pages. */
export function useApi(): Scope {
  const scope = use(ScopeContext);
  if (!scope) throw new Error('useApi needs a ProjectScope or a BackOfficeScope above it');
  return scope;
}

/** Whether these pages have an API: those without a sign-in have none. */
export function useHasApi(): boolean {
  return use(ScopeContext) !== undefined;
}

/** Provides a client, a query cache that no other realm shares, and live updates to the pages below it. */
export function ApiScope({ realm, children }: { realm: Realm; children: ReactNode }) {
  const key = realm.kind === 'project' ? realm.id : realm.kind;
  const suspended = realm.kind === 'project' && realm.suspended;
  const [stores] = useState(() => new Map<string, QueryClient>());
  const store = stores.get(key) ?? createQueryClient();
  stores.set(key, store);
  const scope = useMemo(() => {
    const headers: Record<string, string> = realm.kind === 'project' ? { 'X-Project-Id': key } : {};
    const ask = suspended ? sendToSuspended : send;
    const client = createApi(headers, ask);
    return { client, api: createApiHooks(client), send: ask, headers };
  }, [realm.kind, key, suspended]);
  return (
    <ScopeContext value={scope}>
      <QueryClientProvider client={store}>
        {realm.kind === 'person' ? (
          // Only projects have a stream of changes.
          children
        ) : (
          <LiveUpdates name={key} address={events[realm.kind]} headers={scope.headers} frame={frames[realm.kind]}>
            {children}
          </LiveUpdates>
        )}
      </QueryClientProvider>
    </ScopeContext>
  );
}
