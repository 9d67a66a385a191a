import { randomBytes } from 'node:crypto';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { requireOutgoingUrl } from '@/lib/core/net/checked-fetch';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { credentialHash } from '@/lib/people/identity/authenticate';
import { settings } from '@/lib/settings';
import { type CreateSsoClient, type NewSsoClient, type SsoClient, ssoClientQuery } from './schema';

const SECRET_BYTES = 32;

type Row = {
  id: string;
  name: string;
  auth_method: SsoClient['token_endpoint_auth_method'];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  created_at: Date;
  updated_at: Date;
};

const columns = raw('id, name, auth_method, redirect_uris, post_logout_redirect_uris, created_at, updated_at');

function view({ auth_method, ...row }: Row): SsoClient {
  return {
    ...row,
    token_endpoint_auth_method: auth_method,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function newSecret() {
  const client_secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { client_secret, secret_hash: new Uint8Array(credentialHash(client_secret)) };
}

/** The clients of the project. */
export const listClients = listOf({
  query: ssoClientQuery,
  columns,
  from: raw('oidc_clients'),
  where: ofProject(),
  filters: { name: equals('name'), search: contains('name') },
  sort: { name: 'name' },
  view,
});

/** @throws ApiError 404 */
export async function getClient(call: ProjectCall, id: string): Promise<SsoClient> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM oidc_clients WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!row) throw notFound('The single sign-on client');
  return view(row);
}

/**
 * Registers a client. Only a hash of its secret is stored.
 * @throws ApiError 400 for a URI that may not be called, 409 when the name is taken or there are too many
 */
export async function createClient(call: ProjectCall, input: CreateSsoClient): Promise<NewSsoClient> {
  input.redirect_uris.forEach(requireRedirectUri('redirect_uris'));
  input.post_logout_redirect_uris.forEach(requireRedirectUri('post_logout_redirect_uris'));
  const { token_endpoint_auth_method: auth_method, ...rest } = input;
  const row: Row = { ...rest, auth_method, id: newId(), created_at: call.at, updated_at: call.at };
  const { client_secret, secret_hash } = newSecret();
  const { project_id } = call;
  const stored: Prisma.OidcClientUncheckedCreateInput = { ...row, project_id, secret_hash };
  const created = { ...view(row), client_secret };
  await commit(call, {
    resource: { type: 'sso_client', id: row.id, name: row.name },
    taken: {
      when: sql`EXISTS (SELECT FROM oidc_clients WHERE project_id = ${project_id}::uuid AND name = ${row.name}::text)`,
      message: `name: a single sign-on client named "${row.name}" already exists in this project.`,
    },
    caps: [
      {
        held: sql`oidc_clients_held(k.project_id)`,
        most: settings().ssoClientsPerProject,
        setting: 'SSO_CLIENTS_PER_PROJECT',
        holder: 'The project has',
        things: 'single sign-on clients',
      },
    ],
    rows: { client: insert('oidc_clients', stored, ifAdmitted) },
    details: { redirect_uris: row.redirect_uris },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Replaces the secret of a client; the previous one stops working immediately. @throws ApiError 404 */
export async function rotateSecret(call: ProjectCall, id: string): Promise<NewSsoClient> {
  const client = await getClient(call, id);
  const { client_secret, secret_hash } = newSecret();
  const rotated = { ...client, updated_at: call.at.toISOString(), client_secret };
  await commit(call, {
    resource: { type: 'sso_client', id, name: client.name },
    target: target(id),
    rows: {
      client: sql`UPDATE oidc_clients SET secret_hash = ${secret_hash}::bytea, updated_at = ${call.at}::timestamptz
                  FROM verdict WHERE verdict.ok AND oidc_clients.id = ${id}::uuid`,
    },
    answer: { status: 200, body: rotated },
  });
  return rotated;
}

/** Deletes a client, and with it all its grants and tokens. @throws ApiError 404 */
export async function deleteClient(call: ProjectCall, id: string): Promise<void> {
  const { name } = await getClient(call, id);
  await commit(call, {
    resource: { type: 'sso_client', id, name },
    target: target(id),
    rows: {
      gone: sql`DELETE FROM oidc_clients USING verdict WHERE verdict.ok AND oidc_clients.id = ${id}::uuid`,
    },
  });
}

/** The client with this id in the project of the call, locked. */
const target = (id: string) => sql`
  SELECT true AS allowed, NULL::text AS state FROM k JOIN oidc_clients c ON c.project_id = k.project_id
  WHERE c.id = ${id}::uuid FOR UPDATE OF c`;

/** @throws ApiError 400 */
function requireRedirectUri(field: string) {
  return (uri: string, position: number): void => {
    const { hash } = requireOutgoingUrl(`${field}[${position}]`, uri);
    if (hash !== '' || uri.includes('#')) throw invalid(`${field}[${position}]: must not have a fragment.`);
  };
}

/** A client as the provider needs it, with the project whose members it signs in. */
export type RegisteredClient = Row & { project_id: string; secret_hash: Buffer };

/** The client with this id in any project. */
export async function findClient(id: string): Promise<RegisteredClient | undefined> {
  if (!isId(id)) return undefined;
  return queryOne<RegisteredClient>(
    sql`SELECT ${columns}, project_id, secret_hash FROM oidc_clients WHERE id = ${id}::uuid`,
  );
}
