import type { Lock, LockMode } from '../store/rows';
import { isPermitted, requirePermission } from './access';
import { type BucketContext, iso } from './answer';
import { S3Error } from './errors';
import { header, type S3Request } from './request';

/** The retention of new versions: object lock without one is `{}`. */
export type LockRule = { mode?: LockMode; days?: number; years?: number };

export const isMode = (value: string | undefined): value is LockMode =>
  value === 'GOVERNANCE' || value === 'COMPLIANCE';

/** A moment to come. @throws S3Error */
export function momentOf(value: string | undefined, request: S3Request): string {
  const at = new Date(value ?? Number.NaN);
  if (Number.isNaN(at.getTime())) throw new S3Error('InvalidArgument', 'The retain until date is not valid.');
  if (at <= request.at) throw new S3Error('InvalidArgument', 'The retain until date must be in the future.');
  return at.toISOString();
}

/**
 * What the headers of an upload say of its lock. The bucket's own retention is added when it is stored.
 * @throws S3Error for a bucket without object lock, and for half of a retention
 */
export function lockOf(context: BucketContext): Partial<Lock> {
  const { request, bucket } = context;
  const mode = header(request, 'x-amz-object-lock-mode');
  const until = header(request, 'x-amz-object-lock-retain-until-date');
  const hold = header(request, 'x-amz-object-lock-legal-hold');
  if (mode === undefined && until === undefined && hold === undefined) return {};
  if (!bucket.object_lock) throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration.');
  if ((mode === undefined) !== (until === undefined))
    throw new S3Error('InvalidArgument', 'x-amz-object-lock-mode and x-amz-object-lock-retain-until-date go together.');
  if (mode !== undefined && !isMode(mode)) throw new S3Error('InvalidArgument', 'Unknown wormMode directive.');
  if (hold !== undefined && hold !== 'ON' && hold !== 'OFF')
    throw new S3Error('InvalidArgument', 'The legal hold is ON or OFF.');
  const more = { kind: 'write' as const, key: request.key };
  if (mode) requirePermission(request, context, { action: 's3:PutObjectRetention', ...more });
  if (hold) requirePermission(request, context, { action: 's3:PutObjectLegalHold', ...more });
  return {
    ...(isMode(mode) ? { lock_mode: mode, retain_until: momentOf(until, request) } : {}),
    ...(hold === undefined ? {} : { legal_hold: hold === 'ON' }),
  };
}

/** Headers of a version that is or was locked. */
export function lockHeaders({ lock_mode, retain_until, legal_hold }: Lock<Date>): Record<string, string> {
  return {
    ...(lock_mode && retain_until
      ? { 'x-amz-object-lock-mode': lock_mode, 'x-amz-object-lock-retain-until-date': iso(retain_until) }
      : {}),
    ...(legal_hold === null ? {} : { 'x-amz-object-lock-legal-hold': legal_hold ? 'ON' : 'OFF' }),
  };
}

/** Whether the request wants to bypass governance, and may. */
export function bypasses(context: BucketContext, key: string | undefined): boolean {
  const { request, holder, bucket } = context;
  if (header(request, 'x-amz-bypass-governance-retention')?.toLowerCase() !== 'true') return false;
  return (
    holder !== undefined &&
    isPermitted(request, holder, bucket, { action: 's3:BypassGovernanceRetention', kind: 'write', key })
  );
}
