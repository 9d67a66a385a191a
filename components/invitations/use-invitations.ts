'use client';

import { useHydrated } from '@/lib/client/hydrated';
import type { Row } from '@/lib/client/list';
import { useApi } from '@/lib/client/scope';

export type Invitation = Row<'/api/v1/auth/invitations'>;

/** The projects that the reader is invited to; undefined until it is known. */
export function useInvitations(): readonly Invitation[] | undefined {
  const { api } = useApi();
  const hydrated = useHydrated();
  // Changes of a project are told to those who belong to it, which an invited person does not yet: looking again does.
  const found = api.useQuery(
    'get',
    '/api/v1/auth/invitations',
    { params: { query: { limit: 200 } } },
    { refetchOnWindowFocus: 'always' },
  );
  return hydrated ? found.data : undefined;
}
