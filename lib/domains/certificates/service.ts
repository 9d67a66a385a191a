import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import { orderInsert, ordersCap } from './acme/order';
import { readMaterial } from './material';
import { orderCertificateKind } from './operations';
import { requireOwnDomains } from './ownership';
import { type Certificate, type CreateCertificate, certificateQuery } from './schema';
import { sealKey } from './sealed-key';
import { type CertificateRow, certificateColumns, certificateTable, statusConditions, viewCertificate } from './view';

export const listCertificates = listOf({
  query: certificateQuery,
  columns: certificateColumns,
  from: certificateTable,
  id: 'r.id',
  where: ofProject('r'),
  filters: {
    name: equals('r.name'),
    search: contains('r.name'),
    status: oneOf(statusConditions),
    domain: (domain) => sql`${domain}::text = ANY (r.domains)`,
    tag: hasTags('r'),
  },
  sort: { name: 'r.name' },
  view: (row: CertificateRow, call) => viewCertificate(row, call.at),
});

async function readRow(call: ProjectCall, id: string): Promise<CertificateRow> {
  const row = await queryOne<CertificateRow>(sql`SELECT ${certificateColumns} FROM ${certificateTable}
    WHERE r.project_id = ${call.project_id}::uuid AND r.id = ${id}::uuid`);
  if (!row) throw notFound('The certificate');
  return row;
}

/** One certificate. @throws ApiError 404 */
export const readCertificate = async (call: ProjectCall, id: string): Promise<Certificate> =>
  viewCertificate(await readRow(call, id), call.at);

/**
 * Stores a certificate with its key, or orders one from the certificate authority.
 * @throws ApiError 400 when a check fails, 409 when the name is taken or the project has too many
 */
export function createCertificate(call: ProjectCall, input: CreateCertificate): Promise<Certificate> {
  const { certificate_pem = '', private_key_pem = '', domains } = input;
  if (domains) return orderCertificate(call, input.name, [...new Set(domains)]);
  const { chain_pem, private_key_pem: key, ...facts } = readMaterial({ certificate_pem, private_key_pem }, call.at);
  const row = { ...emptyRow(call, input.name), ...facts, issuer: 'upload' as const };
  return addCertificate(call, row, { chain_pem, sealed_key: sealKey(call.project_id, row.id, key) });
}

/** Starts an order; a worker carries it out. */
async function orderCertificate(call: ProjectCall, name: string, domains: string[]): Promise<Certificate> {
  await requireOwnDomains(call, domains);
  const row = { ...emptyRow(call, name), issuer: 'acme' as const, domains };
  const order = { id: newId(), project_id: call.project_id, certificate_id: row.id };
  return addCertificate(call, row, {}, order);
}

const emptyRow = (call: ProjectCall, name: string): CertificateRow => ({
  id: newId(),
  name,
  issuer: 'acme',
  status_reason: null,
  domains: [],
  chain: [],
  fingerprint_sha256: null,
  not_before: null,
  not_after: null,
  expiring_at: null,
  next_order_at: null,
  used_by: [],
  created_at: call.at,
  updated_at: call.at,
});

type Order = { id: string; project_id: string; certificate_id: string };

async function addCertificate(
  call: ProjectCall,
  row: CertificateRow,
  sealed: Pick<Prisma.CertificateUncheckedCreateInput, 'chain_pem' | 'sealed_key'>,
  order?: Order,
): Promise<Certificate> {
  const created = viewCertificate(row, call.at);
  const { used_by: _, ...stored } = row;
  await commit(call, {
    resource: { type: 'certificate', id: row.id, name: row.name },
    taken: {
      when: sql`EXISTS (SELECT FROM certificates WHERE project_id = ${call.project_id}::uuid AND name = ${row.name}::text)`,
      message: `name: a certificate named "${row.name}" already exists in this project.`,
    },
    caps: [
      {
        held: sql`certificates_held(k.project_id)`,
        most: settings().certificatesPerProject,
        setting: 'CERTIFICATES_PER_PROJECT',
        holder: 'The project has',
        things: 'certificates',
      },
      ...(order ? [ordersCap()] : []),
    ],
    rows: {
      certificate: insert<Prisma.CertificateUncheckedCreateInput>(
        'certificates',
        { ...stored, ...sealed, project_id: call.project_id },
        ifAdmitted,
      ),
      ...(order && { order_row: orderInsert(order) }),
    },
    ...(order && { operation: orderCertificateKind.start(row.id, { order_id: order.id }) }),
    details: { issuer: row.issuer, domains: row.domains },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Deletes a certificate with its key. @throws ApiError 404, 409 while a resource serves it */
export async function deleteCertificate(call: ProjectCall, id: string): Promise<void> {
  const { name, used_by } = await readRow(call, id);
  const users = used_by.map(({ type, name }) => `${type.replaceAll('_', ' ')} ${name}`).join(', ');
  const inUse = `Certificate ${name} is in use${users && ` by ${users}`}. Remove it there first.`;
  await commit(call, {
    resource: { type: 'certificate', id, name },
    target: sql`SELECT NOT EXISTS (SELECT FROM certificate_uses u WHERE u.certificate_id = c.id) AS allowed, 'in use' AS state
      FROM k JOIN certificates c ON c.project_id = k.project_id AND c.id = ${id}::uuid FOR UPDATE OF c`,
    forbidden: () => inUse,
    in_use: inUse,
    rows: { gone: sql`DELETE FROM certificates USING verdict WHERE verdict.ok AND certificates.id = ${id}::uuid` },
  });
}
