'use client';

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { type ApiClient, createApi, createApiHooks } from './api';
import { LiveUpdates } from './live-updates';
import { createQueryClient } from './query';

/** The part of the API that pages use: one project's, that of a person without a project, or the back office's. */
export type Realm = { kind: 'project'; id: string } | { kind: 'person' } | { kind: 'backoffice' };

interface Scope {
  client: ApiClient;
  api: ReturnType<typeof createApiHooks>;
  /** Headers that name the project of a request. */
  headers: Record<string, string>;
}

const events = { project: '/api/v1/events', backoffice: '/admin/api/v1/events' } as const;

const ScopeContext = createContext<Scope | undefined>(undefined);

/** The API client and realm of these pages. */
export function useApi(): Scope {
  const scope = use(ScopeContext);
  if (!scope) throw new Error('useApi needs a ProjectScope or a BackOfficeScope above it');
  return scope;
}

/** Provides a client, a query cache that no other realm shares, and live updates to the pages below it. */
export function ApiScope({ realm, children }: { realm: Realm; children: ReactNode }) {
  const key = realm.kind === 'project' ? realm.id : realm.kind;
  const [stores] = useState(() => new Map<string, QueryClient>());
  const store = stores.get(key) ?? createQueryClient();
  stores.set(key, store);
  const scope = useMemo(() => {
    const headers: Record<string, string> = realm.kind === 'project' ? { 'X-Project-Id': key } : {};
    const client = createApi(headers);
    return { client, api: createApiHooks(client), headers };
  }, [realm.kind, key]);
  return (
    <ScopeContext value={scope}>
      <QueryClientProvider client={store}>
        {realm.kind === 'person' ? (
          // Only projects have a stream of changes.
          children
        ) : (
          <LiveUpdates name={key} address={events[realm.kind]} headers={scope.headers}>
            {children}
          </LiveUpdates>
        )}
      </QueryClientProvider>
    </ScopeContext>
  );
}
