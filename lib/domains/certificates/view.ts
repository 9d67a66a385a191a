import { raw } from '@/lib/core/db/sql';
import type { Certificate, CertificateStatus } from './schema';

/** The condition of each status, over a row `r` of `certificates`. */
export const statusConditions: Readonly<Record<CertificateStatus, string>> = {
  pending: 'r.chain_pem IS NULL AND r.status_reason IS NULL',
  failed: 'r.chain_pem IS NULL AND r.status_reason IS NOT NULL',
  issued: 'r.expiring_at > platform_now()',
  expiring: 'r.expiring_at <= platform_now() AND r.not_after > platform_now()',
  expired: 'r.not_after <= platform_now()',
};

type Time = 'not_before' | 'not_after' | 'next_order_at';
export type CertificateRow = Omit<Certificate, Time | 'status' | 'created_at' | 'updated_at'> &
  Record<Time | 'expiring_at', Date | null> & { created_at: Date; updated_at: Date };

export const certificateColumns = raw(`r.id, r.name, r.domains, r.issuer, r.status_reason, r.not_before, r.not_after,
  r.expiring_at, r.next_order_at, r.fingerprint_sha256, r.chain, r.created_at, r.updated_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('type', u.resource_type, 'id', u.resource_id, 'name', u.resource_name)
    ORDER BY u.resource_type, u.resource_name, u.resource_id), '[]') FROM certificate_uses u WHERE u.certificate_id = r.id) AS used_by`);
export const certificateTable = raw('certificates r');

export function viewCertificate({ expiring_at, ...row }: CertificateRow, at: Date): Certificate {
  return {
    ...row,
    status: statusOf({ ...row, expiring_at }, at),
    not_before: row.not_before?.toISOString() ?? null,
    not_after: row.not_after?.toISOString() ?? null,
    next_order_at: row.next_order_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

type Dated = Pick<CertificateRow, 'status_reason' | 'not_after' | 'expiring_at'>;

function statusOf({ status_reason, not_after, expiring_at }: Dated, at: Date): CertificateStatus {
  if (not_after === null || expiring_at === null) return status_reason === null ? 'pending' : 'failed';
  if (not_after <= at) return 'expired';
  return expiring_at <= at ? 'expiring' : 'issued';
}
