'use client';

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { type ApiClient, createApi, createApiHooks } from './api';
import { LiveUpdates } from './live-updates';
import { createQueryClient } from './query';

/** Which part of the API pages speak to: one project's, a person's own who has none, or the back office's. */
export type Realm = { kind: 'project'; id: string } | { kind: 'person' } | { kind: 'backoffice' };

interface Scope {
  client: ApiClient;
  api: ReturnType<typeof createApiHooks>;
  /** What names the project in a request. */
  headers: Record<string, string>;
}

const events = { project: '/api/v1/events', backoffice: '/admin/api/v1/events' } as const;

const ScopeContext = createContext<Scope | undefined>(undefined);

/** The API as these pages see it. */
export function useApi(): Scope {
  const scope = use(ScopeContext);
  if (!scope) throw new Error('useApi needs a ProjectScope or a BackOfficeScope above it');
  return scope;
}

/** Gives the pages below it a client, a store of answers that no other realm shares, and live updates. */
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
          // The stream of changes is a project's.
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
