import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const HOUR_MS = 60 * 60_000;

/** Makes a backup of a cluster, which serves meanwhile. */
export const backUpKind = operationKind({
  kind: 'database_cluster.back_up',
  resource_type: 'database_cluster',
  stages: ['copying'],
  input: z.strictObject({ backup_id: z.uuid(), kind: z.enum(['automatic', 'manual']) }),
  deadline_ms: 6 * HOUR_MS,
});

/** Makes a new cluster of a backup, or of that and the log after it: then it goes on as a create. */
export const restoreKind = operationKind({
  kind: 'database_cluster.restore',
  resource_type: 'database_cluster',
  stages: ['data', 'recovery', 'primary', 'roles', 'members', 'serve'],
  input: z.strictObject({
    backup_id: z.uuid(),
    source_id: z.uuid(),
    group_no: z.int(),
    start_segment: z.string().nullable(),
    at: z.iso.datetime().nullable(),
  }),
  deadline_ms: 6 * HOUR_MS,
});

/** Restores a backup into a server that is thrown away, and reads every row there. The resource is the backup. */
export const checkBackupKind = operationKind({
  kind: 'database_backup.check',
  resource_type: 'database_backup',
  stages: ['restoring', 'reading', 'removing'],
  input: z.strictObject({}),
  deadline_ms: 6 * HOUR_MS,
});
