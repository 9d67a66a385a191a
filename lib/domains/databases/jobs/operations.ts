import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const ofJob = z.strictObject({ job_id: z.uuid() });
const MINUTE_MS = 60_000;

/** Upgrades a cluster to another version; when it fails, the former version goes on. */
export const upgradeKind = operationKind({
  kind: 'database_cluster.upgrade',
  resource_type: 'database_cluster',
  stages: ['pending', 'preflight', 'backup', 'provisioning', 'replicating', 'switching_over', 'verifying'],
  input: ofJob,
  deadline_ms: 24 * 60 * MINUTE_MS,
});

/** Goes back to the former version after an upgrade, with what was written since. */
export const rollBackKind = operationKind({
  kind: 'database_cluster.roll_back',
  resource_type: 'database_cluster',
  stages: ['preparing', 'switching_back', 'removing'],
  input: ofJob,
  deadline_ms: 60 * MINUTE_MS,
});

/** Removes the former version's members, when its way back has ended. */

export const endWayBackKind = operationKind({
  kind: 'database_cluster.end_way_back',
  resource_type: 'database_cluster',
  stages: ['forgetting', 'removing'],
  input: ofJob,
  deadline_ms: 60 * MINUTE_MS,
});
