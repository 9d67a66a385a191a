import { now } from '@/lib/clock';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { type CertificateRequest, issueAuthority, issueCertificate } from './issue';

const DAY_MS = 24 * 60 * 60_000;

/** Remaining time of an authority at which its successor is published beside it. */
const PUBLISH_SUCCESSOR_MS = 730 * DAY_MS;
/** Remaining time at which the successor starts to sign; clients have had time to trust it by then. */
const HAND_OVER_MS = 365 * DAY_MS;
/** Time before its expiry at which a certificate is renewed. */
const RENEW_MS = 30 * DAY_MS;

/**
 * The owner of services with certificates, such as a database cluster. Owners never trust one another's authorities.
 */
export type CertificateOwner = { id: string; kind: string; project_id: string | null };

/** The certificate, key and authorities that a service needs, all in PEM. */
export type ServiceCertificate = {
  certificate: string;
  key: string;
  /** All authorities that clients must trust now, oldest first. */
  authorities: string;
  expires_at: Date;
};

const sealedKey = (table: 'service_authorities' | 'service_certificates'): SealedColumn => ({
  table,
  column: 'sealed_key',
  key: 'id',
  bound: `'${table}:' || id`,
});
const place = (table: 'service_authorities' | 'service_certificates', id: string) => `${table}:${id}`;

/** For `npm run admin -- reseal`: private keys of authorities and of certificates. */
export const sealedCertificateKeys: readonly SealedColumn[] = [
  sealedKey('service_authorities'),
  sealedKey('service_certificates'),
];

type Authority = {
  id: string;
  generation: number;
  certificate: string;
  sealed_key: Buffer;
  left_ms: number;
};
type Certificate = CertificateRequest & {
  id: string;
  authority_id: string;
  certificate: string;
  sealed_key: Buffer;
  expires_at: Date;
  left_ms: number;
};

/**
 * The authorities that clients of this owner's services must trust now, oldest first, in PEM. The first one is issued
 * on first use; a successor is published long before the last one expires.
 */
export const ensureAuthorities = async (owner: CertificateOwner): Promise<string> => bundle(await authoritiesOf(owner));

/**
 * A certificate for one service of an owner, issued on first use, and again when its content should change or it nears
 * its expiry. `name` is unique within the owner: `server`, or the id of a member.
 */
export async function ensureCertificate(
  owner: CertificateOwner,
  name: string,
  request: CertificateRequest,
): Promise<ServiceCertificate> {
  const authorities = await authoritiesOf(owner);
  const present = await findCertificate(owner.id, name);
  const isCurrent = present && present.left_ms > RENEW_MS && says(present) === says(request);
  const row = isCurrent ? present : await issue(owner, { name, request, present, signer: signerOf(authorities) });
  return {
    certificate: row.certificate,
    key: open(row.sealed_key, place('service_certificates', row.id)).toString(),
    authorities: bundle(authorities),
    expires_at: row.expires_at,
  };
}

/** Deletes all authorities and certificates of an owner; `from` decides, as in `insert`, and ends in a condition. */
export const forgetCertificates = (ownerId: string, from: Sql): Sql =>
  sql`DELETE FROM service_authorities USING ${from} AND service_authorities.owner_id = ${ownerId}::uuid`;

const bundle = (authorities: readonly Authority[]) => authorities.map(({ certificate }) => `${certificate}\n`).join('');

const says = ({ common_name, dns_names, addresses, usage }: CertificateRequest) =>
  JSON.stringify([common_name, dns_names, addresses, usage]);

/** The oldest authority with enough time left to sign; every client already trusts it. */
function signerOf(authorities: readonly Authority[]): Authority {
  const signer = authorities.find(({ left_ms }) => left_ms > HAND_OVER_MS) ?? authorities.at(-1);
  if (!signer) throw new Error('an owner has no certificate authority');
  return signer;
}

async function authoritiesOf(owner: CertificateOwner): Promise<Authority[]> {
  const present = await readAuthorities(owner.id);
  const newest = present.at(-1);
  if (newest && newest.left_ms > PUBLISH_SUCCESSOR_MS) return present;
  await addAuthority(owner, await nextGeneration(owner.id));
  return readAuthorities(owner.id);
}

const readAuthorities = (ownerId: string) =>
  query<Authority>(sql`
    SELECT id, generation, certificate, sealed_key, ${leftMs} AS left_ms
    FROM service_authorities WHERE owner_id = ${ownerId}::uuid AND expires_at > platform_now() ORDER BY generation`);

const leftMs = sql`(extract(epoch FROM expires_at - platform_now()) * 1000)::float8`;

async function nextGeneration(ownerId: string): Promise<number> {
  const row = await queryOne<{ next: number }>(sql`
    SELECT coalesce(max(generation), 0) + 1 AS next FROM service_authorities WHERE owner_id = ${ownerId}::uuid`);
  return row?.next ?? 1;
}

/**
 * The first authority of a new owner, for the write that makes the owner: its answer can name what clients must trust.
 * `from` decides, as in `insert`.
 */
export async function firstAuthority(owner: CertificateOwner, from: Sql): Promise<{ certificate: string; row: Sql }> {
  const row = await newAuthority(owner, 1);
  return { certificate: `${row.certificate}\n`, row: insert('service_authorities', row, from) };
}

/** SQL: all authorities that clients of an owner must trust now, oldest first, in PEM. @param owner an SQL uuid */
export const trustedAuthorities = (
  owner: string,
): string => `(SELECT string_agg(a.certificate || E'\\n', '' ORDER BY a.generation)
  FROM service_authorities a WHERE a.owner_id = ${owner} AND a.expires_at > platform_now())`;

/** Adds a generation. Of two concurrent calls one succeeds; the other's authority was never used. */
async function addAuthority(owner: CertificateOwner, generation: number): Promise<void> {
  await execute(sql`${insert('service_authorities', await newAuthority(owner, generation))} ON CONFLICT DO NOTHING`);
}

async function newAuthority(owner: CertificateOwner, generation: number) {
  const [id, at] = [newId(), now()];
  const issued = await issueAuthority(`${owner.kind} ${owner.id} CA ${generation}`, at);
  return {
    id,
    project_id: owner.project_id,
    owner_kind: owner.kind,
    owner_id: owner.id,
    generation,
    certificate: issued.certificate,
    sealed_key: seal(Buffer.from(issued.key), place('service_authorities', id)),
    created_at: at,
    expires_at: issued.expires_at,
  };
}

const columns = sql`id, authority_id, common_name, dns_names, addresses, usage, certificate, sealed_key, expires_at, ${leftMs} AS left_ms`;

const findCertificate = (ownerId: string, name: string) =>
  queryOne<Certificate>(sql`
    SELECT ${columns} FROM service_certificates WHERE owner_id = ${ownerId}::uuid AND name = ${name}`);

type Wanted = { name: string; request: CertificateRequest; present: Certificate | undefined; signer: Authority };

/** Issues a certificate. Of two concurrent renewals the first one stays, and both return it. */
async function issue(owner: CertificateOwner, { name, request, present, signer }: Wanted): Promise<Certificate> {
  const [id, at] = [present?.id ?? newId(), now()];
  const key = open(signer.sealed_key, place('service_authorities', signer.id)).toString();
  const issued = await issueCertificate({ certificate: signer.certificate, key }, request, at);
  const { common_name, dns_names, addresses, usage } = request;
  const row = {
    id,
    authority_id: signer.id,
    owner_id: owner.id,
    name,
    common_name,
    dns_names: [...dns_names],
    addresses: [...addresses],
    usage,
    certificate: issued.certificate,
    sealed_key: seal(Buffer.from(issued.key), place('service_certificates', id)),
    issued_at: at,
    expires_at: issued.expires_at,
  };
  // A renewal keeps the id that its key is sealed with: as an upsert it could meet the other one's on the primary key.
  await execute(
    present
      ? sql`UPDATE service_certificates SET authority_id = ${row.authority_id}::uuid, common_name = ${common_name}, dns_names = ${row.dns_names}::text[],
          addresses = ${row.addresses}::text[], usage = ${usage}, certificate = ${row.certificate}, sealed_key = ${row.sealed_key}::bytea,
          issued_at = ${at}::timestamptz, expires_at = ${row.expires_at}::timestamptz
          WHERE id = ${id}::uuid AND certificate = ${present.certificate}`
      : sql`${insert('service_certificates', row)} ON CONFLICT (owner_id, name) DO NOTHING`,
  );
  const stored = await findCertificate(owner.id, name);
  if (!stored) throw new Error(`the owner ${owner.id} of a certificate was deleted while it was issued`);
  return stored;
}

type Due = CertificateRequest & { name: string; id: string; kind: string; project_id: string | null };

/**
 * Renews certificates that near their expiry, and publishes successors of authorities; services get them when they are
 * next ensured.
 * @returns the number of due certificates
 */
export async function renewCertificates(signal: AbortSignal): Promise<number> {
  const due = await query<Due>(sql`
    SELECT c.name, c.common_name, c.dns_names, c.addresses, c.usage,
           a.owner_id AS id, a.owner_kind AS kind, a.project_id
    FROM service_certificates c JOIN service_authorities a ON a.id = c.authority_id
    WHERE c.expires_at <= platform_now() + ${RENEW_MS}::float8 * interval '1 millisecond'
    ORDER BY c.expires_at`);
  for (const { id, kind, project_id, name, ...request } of due) {
    if (signal.aborted) break;
    await ensureCertificate({ id, kind, project_id }, name, request);
  }
  const aging = await query<CertificateOwner>(sql`
    SELECT owner_id AS id, min(owner_kind) AS kind, min(project_id::text)::uuid AS project_id
    FROM service_authorities GROUP BY owner_id
    HAVING max(expires_at) <= platform_now() + ${PUBLISH_SUCCESSOR_MS}::float8 * interval '1 millisecond'`);
  for (const owner of aging) if (!signal.aborted) await ensureAuthorities(owner);
  return due.length;
}

/** A certificate with a late renewal. */
export type LateCertificate = { owner_kind: string; owner_id: string; name: string; expires_at: Date };

/** The number of certificates, the first expiry, and those whose renewal is a day late. */
export async function certificateEnds(): Promise<{ count: number; first: Date | null; late: LateCertificate[] }> {
  const [all, late] = await Promise.all([
    queryOne<{ count: string; first: Date | null }>(
      sql`SELECT count(*) AS count, min(expires_at) AS first FROM service_certificates`,
    ),
    query<LateCertificate>(sql`
      SELECT a.owner_kind, c.owner_id, c.name, c.expires_at
      FROM service_certificates c JOIN service_authorities a ON a.id = c.authority_id
      WHERE c.expires_at <= platform_now() + ${RENEW_MS - DAY_MS}::float8 * interval '1 millisecond'
      ORDER BY c.expires_at LIMIT 100`),
  ]);
  return { count: Number(all?.count ?? 0), first: all?.first ?? null, late };
}
