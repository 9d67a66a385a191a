import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import { openPayload, sealPayload } from './envelope';
import { checkPayload } from './payload';
import { type CreateSecret, type Secret, type SecretPayload, type SecretType, secretQuery } from './schema';

type Row = {
  id: string;
  name: string;
  type: SecretType;
  payload_encoding: Secret['payload_encoding'];
  size_bytes: number;
  expires_at: Date | null;
  certificate: Secret['certificate'];
  created_at: Date;
  updated_at: Date;
};

const columns = raw('id, name, type, payload_encoding, size_bytes, expires_at, certificate, created_at, updated_at');

function view(row: Row, at: Date): Secret {
  return {
    ...row,
    status: row.expires_at !== null && row.expires_at <= at ? 'expired' : 'active',
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The project's secrets without their payloads. */
export const listSecrets = listOf({
  query: secretQuery,
  columns,
  from: raw('secrets'),
  where: ofProject(),
  filters: { name: equals('name'), type: equals('type'), search: contains('name'), tag: hasTags('secrets') },
  sort: { name: 'name' },
  view: (row: Row, call) => view(row, call.at),
});

/**
 * Stores a secret.
 * @throws ApiError 400 when the payload does not fit its type, 409 when the name is taken or the project has too many
 */
export async function createSecret(call: ProjectCall, input: CreateSecret): Promise<Secret> {
  const { bytes, certificate } = checkPayload(input);
  if (input.expires_at !== undefined && new Date(input.expires_at) <= call.at) {
    throw invalid('expires_at: must be in the future.');
  }
  const row: Row = {
    id: newId(),
    name: input.name,
    type: input.type,
    payload_encoding: input.payload_encoding,
    size_bytes: bytes.length,
    expires_at: expiry(input, certificate),
    certificate,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view(row, call.at);
  const envelope = sealPayload(call.project_id, row.id, bytes);
  await commit(call, {
    resource: { type: 'secret', id: row.id, name: row.name },
    taken: {
      when: sql`EXISTS (SELECT FROM secrets WHERE project_id = ${call.project_id}::uuid AND name = ${row.name}::text)`,
      message: `name: a secret named "${row.name}" already exists in this project.`,
    },
    caps: [
      {
        held: sql`secrets_held(k.project_id)`,
        most: settings().secretsPerProject,
        setting: 'SECRETS_PER_PROJECT',
        holder: 'The project has',
        things: 'secrets',
      },
    ],
    rows: {
      secret: insert<Prisma.SecretUncheckedCreateInput>(
        'secrets',
        {
          ...row,
          certificate: certificate ?? undefined,
          project_id: call.project_id,
          ciphertext: new Uint8Array(envelope.ciphertext),
          sealed_data_key: new Uint8Array(envelope.sealed_data_key),
        },
        ifAdmitted,
      ),
    },
    details: { type: row.type },
    answer: { status: 201, body: created },
  });
  return created;
}

/** The earlier of what the caller said and what the certificate says. */
function expiry({ expires_at }: CreateSecret, certificate: Secret['certificate']): Date | null {
  const given = [expires_at, certificate?.not_after].filter((time) => time !== undefined).map((time) => new Date(time));
  return given.length === 0 ? null : new Date(Math.min(...given.map(Number)));
}

/** Which of these ids are secrets of the project. */
export async function secretsThatExist(projectId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await query<{ id: string }>(
    sql`SELECT id FROM secrets WHERE project_id = ${projectId}::uuid AND id = ANY (${[...ids]}::uuid[])`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Payloads of secrets for a process of their own project, such as an instance of a function; binary ones as base64. The ids
 * that exist no more are absent.
 */
export async function payloadsFor(projectId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{
    id: string;
    payload_encoding: Row['payload_encoding'];
    ciphertext: Buffer;
    sealed_data_key: Buffer;
  }>(sql`SELECT id, payload_encoding, ciphertext, sealed_data_key FROM secrets
    WHERE project_id = ${projectId}::uuid AND id = ANY (${[...ids]}::uuid[])`);
  return new Map(
    rows.map((row) => [row.id, openPayload(projectId, row.id, row).toString(row.payload_encoding)] as const),
  );
}

/** Decrypts a secret's payload. @throws ApiError 404 */
export async function readPayload(call: ProjectCall, id: string): Promise<SecretPayload> {
  const row = await queryOne<
    Pick<Row, 'name' | 'type' | 'payload_encoding'> & { ciphertext: Buffer; sealed_data_key: Buffer }
  >(sql`SELECT name, type, payload_encoding, ciphertext, sealed_data_key FROM secrets
        WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`);
  if (!row) throw notFound('The secret');
  call.record.resource = { type: 'secret', id, name: row.name };
  const payload = openPayload(call.project_id, id, row);
  return {
    id,
    type: row.type,
    payload: payload.toString(row.payload_encoding),
    payload_encoding: row.payload_encoding,
  };
}

/** Deletes a secret for good. @throws ApiError 404 */
export async function deleteSecret(call: ProjectCall, id: string): Promise<void> {
  const found = await queryOne<{ name: string }>(
    sql`SELECT name FROM secrets WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!found) throw notFound('The secret');
  await commit(call, {
    resource: { type: 'secret', id, name: found.name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN secrets s ON s.project_id = k.project_id
                WHERE s.id = ${id}::uuid FOR UPDATE OF s`,
    rows: { gone: sql`DELETE FROM secrets USING verdict WHERE verdict.ok AND secrets.id = ${id}::uuid` },
  });
}
