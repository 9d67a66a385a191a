import type { Role } from '@/lib/core/api/caller';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { requireOutgoingUrl } from '@/lib/core/net/checked-fetch';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { isOwnIssuer } from '@/lib/people/oidc/issuer';
import { type Conditions, type CreateProvider, type IdentityProvider, providerQuery } from './schema';

/** Each exchange checks all providers of its issuer, so their number is limited. */
const MOST_PROVIDERS = 100;

type Row = {
  id: string;
  name: string;
  issuer: string;
  audience: string;
  jwks_uri: string | null;
  conditions: Conditions;
  max_role: Role;
  created_at: Date;
  updated_at: Date;
};

const columns = raw('id, name, issuer, audience, jwks_uri, conditions, max_role, created_at, updated_at');

function view(row: Row): IdentityProvider {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** The issuers trusted by the project. */
export const listProviders = listOf({
  query: providerQuery,
  columns,
  from: raw('identity_providers'),
  where: ofProject(),
  filters: { name: equals('name'), issuer: equals('issuer'), search: contains('name') },
  sort: { name: 'name' },
  view,
});

/**
 * Adds a trusted issuer. Nothing is fetched yet, so that an issuer that is briefly down does not block the call.
 * @throws ApiError 400 for a URL that may not be called, 409 when the name is taken or there are too many
 */
export async function createProvider(call: ProjectCall, input: CreateProvider): Promise<IdentityProvider> {
  const issuer = requireOutgoingUrl('issuer', input.issuer);
  if (isOwnIssuer(issuer)) throw invalid('issuer: must not be this platform; its ID tokens are for applications.');
  const { search, hash } = issuer;
  if (search !== '' || hash !== '')
    throw invalid('issuer: must not have a query or a fragment (OpenID Connect Discovery).');
  if (input.jwks_uri !== undefined) requireOutgoingUrl('jwks_uri', input.jwks_uri);
  const row: Row = {
    ...input,
    id: newId(),
    jwks_uri: input.jwks_uri ?? null,
    created_at: call.at,
    updated_at: call.at,
  };
  const { project_id } = call;
  const stored: Prisma.IdentityProviderUncheckedCreateInput = { ...row, project_id };
  const created = view(row);
  await commit(call, {
    resource: { type: 'identity_provider', id: row.id, name: row.name },
    target: sql`SELECT (SELECT count(*) FROM identity_providers i WHERE i.project_id = k.project_id) < ${MOST_PROVIDERS}::int
                AS allowed, 'full' AS state FROM k`,
    forbidden: () => `The project has reached its limit of ${MOST_PROVIDERS} identity providers; delete one first.`,
    taken: {
      when: sql`EXISTS (SELECT FROM identity_providers WHERE project_id = ${project_id}::uuid AND name = ${row.name}::text)`,
      message: `name: an identity provider named "${row.name}" already exists in this project.`,
    },
    rows: { provider: insert('identity_providers', stored, ifAdmitted) },
    details: { issuer: row.issuer, audience: row.audience, conditions: row.conditions, max_role: row.max_role },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Removes a trusted issuer; credentials obtained through it end at once. @throws ApiError 404 */
export async function deleteProvider(call: ProjectCall, id: string): Promise<void> {
  const found = await queryOne<{ name: string }>(
    sql`SELECT name FROM identity_providers WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!found) throw notFound('The identity provider');
  await commit(call, {
    resource: { type: 'identity_provider', id, name: found.name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN identity_providers i ON i.project_id = k.project_id
                WHERE i.id = ${id}::uuid FOR UPDATE OF i`,
    rows: {
      gone: sql`DELETE FROM identity_providers USING verdict WHERE verdict.ok AND identity_providers.id = ${id}::uuid`,
    },
  });
}
