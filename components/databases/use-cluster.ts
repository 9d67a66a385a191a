'use client';

import { useParams } from 'next/navigation';
import { useProject } from '@/lib/client/project';
import { type DatabaseEngine, databaseEngines } from '@/lib/domains/databases/engines';
import type { ClusterPath } from './types';

/** The cluster that a page's address names; an unknown engine has none, which the API then says. */
export function useClusterPath(): ClusterPath {
  const { engine, namespace, name } = useParams<{ engine: string; namespace: string; name: string }>();
  return { engine: engineOf(engine), ns: namespace, name };
}

function engineOf(text: string): DatabaseEngine {
  return databaseEngines.find((engine) => engine === text) ?? 'postgres';
}

/** Reads one cluster. */
export function useCluster(path: ClusterPath) {
  const { api } = useProject();
  return api.useQuery('get', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}', { params: { path } });
}
