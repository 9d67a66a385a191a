'use client';

import { useMutation } from '@tanstack/react-query';
import {
  createMongodbCluster,
  createMysqlCluster,
  createPostgresCluster,
  createQdrantCluster,
  createValkeyCluster,
} from '@/lib/client/operations/dbaas';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import type { DatabaseEngine } from '@/lib/domains/databases/engines';

/** What creates a cluster of each engine. */
export const createOperations = {
  postgres: createPostgresCluster,
  mysql: createMysqlCluster,
  valkey: createValkeyCluster,
  mongodb: createMongodbCluster,
  qdrant: createQdrantCluster,
} as const satisfies Record<DatabaseEngine, unknown>;

interface NewCluster {
  engine: DatabaseEngine;
  body: components['schemas']['CreateDatabaseCluster'];
}

/** Creates a cluster, empty or from a backup; the answer has its credentials, once. */
export function useCreateCluster() {
  const { client } = useProject();
  return useMutation({
    mutationFn: async ({ engine, body }: NewCluster) => {
      const { data } = await client.POST(createOperations[engine].path, { body });
      if (!data) throw new Error('The answer has no cluster.');
      return data;
    },
  });
}
