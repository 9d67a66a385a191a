import { isId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { openKey } from './sealed-key';

/** A resource of another domain that serves certificates. */
type CertificateUser = { project_id: string; type: string; id: string; name: string };

/**
 * Statements for the `rows` of a `commit()`: the resource uses exactly these certificates from now on, and none of them can
 * be deleted meanwhile. A certificate that does not exist refuses the commit with 404. The table of the resource needs the
 * trigger `certificates_released()`, which ends the use when the resource is deleted.
 */
export function certificateUseRows(user: CertificateUser, certificateIds: readonly string[]): Record<string, Sql> {
  const ids = sql`${[...certificateIds]}::uuid[]`;
  return {
    certificates_released: sql`DELETE FROM certificate_uses USING verdict
      WHERE verdict.ok AND resource_id = ${user.id}::uuid AND certificate_id <> ALL (${ids})`,
    certificates_used: sql`INSERT INTO certificate_uses (certificate_id, resource_id, project_id, resource_type, resource_name)
      SELECT DISTINCT id, ${user.id}::uuid, ${user.project_id}::uuid, ${user.type}::text, ${user.name}::text
      FROM verdict CROSS JOIN unnest(${ids}) AS id WHERE verdict.ok
      ON CONFLICT (certificate_id, resource_id) DO UPDATE SET resource_name = excluded.resource_name`,
  };
}

/** A certificate of a project as its users check it. Without an issued certificate, nothing can serve it. */
export type UsableCertificate = { id: string; name: string; domains: string[]; is_issued: boolean };

/** The project's certificates with these ids; malformed and other tenants' ids find none. */
export const findCertificates = (projectId: string, ids: readonly string[]) =>
  query<UsableCertificate>(sql`SELECT id, name, domains, chain_pem IS NOT NULL AS is_issued FROM certificates
    WHERE project_id = ${projectId}::uuid AND id = ANY (${ids.filter(isId)}::uuid[])`);

/** A certificate with its opened private key, for engines only. */
export type ServedCertificate = {
  id: string;
  project_id: string;
  domains: string[];
  /** Changes with every renewal. */
  fingerprint_sha256: string;
  chain_pem: string;
  private_key_pem: string;
};

/** The issued certificates with these ids of a project, with their keys. Never log the result. */
export async function servedCertificates(projectId: string, ids: readonly string[]): Promise<ServedCertificate[]> {
  const rows = await query<Omit<ServedCertificate, 'private_key_pem'> & { sealed_key: Buffer }>(sql`
    SELECT id, project_id, domains, fingerprint_sha256, chain_pem, sealed_key FROM certificates
    WHERE project_id = ${projectId}::uuid AND id = ANY (${[...ids]}::uuid[]) AND chain_pem IS NOT NULL ORDER BY id`);
  return rows.map(({ sealed_key, ...row }) => ({
    ...row,
    private_key_pem: openKey(row.project_id, row.id, sealed_key),
  }));
}
