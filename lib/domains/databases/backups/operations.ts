import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

/** Makes a backup of a cluster, which serves meanwhile. */
export const backUpKind = operationKind({
  kind: 'database_cluster.back_up',
  resource_type: 'database_cluster',
  stages: ['copying'],
  input: z.strictObject({ backup_id: z.uuid(), kind: z.enum(['automatic', 'manual']) }),
  deadline_ms: 6 * 60 * 60_000,
});
