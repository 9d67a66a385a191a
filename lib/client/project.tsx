'use client';

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { type ApiClient, createApi, createApiHooks } from './api';
import { LiveUpdates } from './live-updates';
import { createQueryClient } from './query';

/** What a person may do in a project; each role includes those before it. */
export type Role = 'reader' | 'member' | 'admin';

/** The project that a page shows, and what its reader may do there. */
export interface Project {
  id: string;
  slug: string;
  name: string;
  role: Role;
}

interface Scope {
  project: Project;
  client: ApiClient;
  api: ReturnType<typeof createApiHooks>;
}

const ScopeContext = createContext<Scope | undefined>(undefined);

/** The project of this page and its API client. The project is part of the page's address, so two tabs may differ. */
export function useProject(): Scope {
  const scope = use(ScopeContext);
  if (!scope) throw new Error('useProject is for pages below /projects/…');
  return scope;
}

/** Gives the pages below it one project: its client, a store of answers that no other project shares, live updates. */
export function ProjectScope({ project, children }: { project: Project; children: ReactNode }) {
  const [stores] = useState(() => new Map<string, QueryClient>());
  const store = stores.get(project.id) ?? createQueryClient();
  stores.set(project.id, store);
  const scope = useMemo(() => {
    const client = createApi(project.id);
    return { project, client, api: createApiHooks(client) };
  }, [project]);
  return (
    <ScopeContext value={scope}>
      <QueryClientProvider client={store}>
        <LiveUpdates projectId={project.id}>{children}</LiveUpdates>
      </QueryClientProvider>
    </ScopeContext>
  );
}
