import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const nothing = z.strictObject({});
const MINUTE_MS = 60_000;

/** Starts the primary, then standbys and endpoint. The programs may have to be fetched first. */
export const createClusterKind = operationKind({
  kind: 'database_cluster.create',
  resource_type: 'database_cluster',
  stages: ['primary', 'roles', 'members', 'serve'],
  input: nothing,
  deadline_ms: 30 * MINUTE_MS,
});

/** Brings a new size, number of members, storage or parameters to the members, one after the other. */
export const updateClusterKind = operationKind({
  kind: 'database_cluster.update',
  resource_type: 'database_cluster',
  stages: ['members', 'switch', 'former', 'leaving', 'serve'],
  /** `restarts`: members end and begin anew, so that another one has to serve first. */
  input: z.strictObject({ restarts: z.boolean(), moves: z.int() }),
  deadline_ms: 60 * MINUTE_MS,
});

/** Brings the tenant's new password to the members. */
export const setPasswordKind = operationKind({
  kind: 'database_cluster.set_password',
  resource_type: 'database_cluster',
  stages: ['roles'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});

/** A planned switch: another member becomes the primary, while new connections wait. */
export const switchPrimaryKind = operationKind({
  kind: 'database_cluster.switch_primary',
  resource_type: 'database_cluster',
  stages: ['switch', 'serve'],
  /** How often the primary had changed when it was ordered: it is carried out once. */
  input: z.strictObject({ moves: z.int() }),
  deadline_ms: 10 * MINUTE_MS,
});

export const deleteClusterKind = operationKind({
  kind: 'database_cluster.delete',
  resource_type: 'database_cluster',
  stages: ['backup', 'members', 'remove'],
  input: nothing,
  deadline_ms: 6 * 60 * MINUTE_MS,
  supersedes: true,
});

/** A child of `database_cluster.delete` and `.update`: its end tells that the member has no data to keep. */
export const deleteMemberKind = operationKind({
  kind: 'database_member.delete',
  resource_type: 'database_member',
  stages: ['remove'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});
