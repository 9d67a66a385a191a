import type { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import { type CreateKeyPair, type createdKeyPair, type KeyPair, keyPairQuery } from './schema';
import { generateKeyPair, readPublicKey } from './ssh-key';

type Row = Omit<KeyPair, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const columns = raw('id, name, type, public_key, fingerprint, created_at, updated_at');

function view(row: Row): KeyPair {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** The project's key pairs, their public halves. */
export const listKeyPairs = listOf({
  query: keyPairQuery,
  columns,
  from: raw('key_pairs'),
  where: ofProject(),
  filters: { name: equals('name'), search: contains('name'), tag: hasTags('key_pairs') },
  sort: { name: 'name' },
  view,
});

/**
 * Imports a public key, or generates a pair whose private half is in this answer and nowhere else.
 * @throws ApiError 409 when the name is taken or the project has too many
 */
export async function createKeyPair(
  call: ProjectCall,
  { name, public_key }: CreateKeyPair,
): Promise<z.output<typeof createdKeyPair>> {
  const pair = public_key === undefined ? generateKeyPair(name.replace(/[^\p{L}\p{N}@._-]+/gu, '-')) : { public_key };
  const facts = readPublicKey(pair.public_key);
  if (!facts) throw invalid('public_key: must be a public key in OpenSSH format.');
  const row: Row = {
    id: newId(),
    name,
    public_key: pair.public_key,
    ...facts,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = { ...view(row), ...pair };
  await commit(call, {
    resource: { type: 'key_pair', id: row.id, name },
    taken: {
      when: sql`EXISTS (SELECT FROM key_pairs WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text)`,
      message: `name: a key pair named "${name}" already exists in this project.`,
    },
    caps: [
      {
        held: sql`key_pairs_held(k.project_id)`,
        most: settings().keyPairsPerProject,
        setting: 'KEY_PAIRS_PER_PROJECT',
        holder: 'The project has',
        things: 'SSH key pairs',
      },
    ],
    rows: {
      key_pair: insert<Prisma.KeyPairUncheckedCreateInput>(
        'key_pairs',
        { project_id: call.project_id, ...row },
        ifAdmitted,
      ),
    },
    details: { type: row.type, fingerprint: row.fingerprint },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Deletes a key pair; guests that have its public key keep it. @throws ApiError 404 */
export async function deleteKeyPair(call: ProjectCall, id: string): Promise<void> {
  const found = await queryOne<{ name: string }>(
    sql`SELECT name FROM key_pairs WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!found) throw notFound('The key pair');
  await commit(call, {
    resource: { type: 'key_pair', id, name: found.name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN key_pairs p
      ON p.project_id = k.project_id AND p.id = ${id}::uuid FOR UPDATE OF p`,
    rows: { gone: sql`DELETE FROM key_pairs USING verdict WHERE verdict.ok AND key_pairs.id = ${id}::uuid` },
  });
}

/** The public key of a pair that a body names. @throws ApiError 404 that names the field */
export async function publicKeyOf(call: ProjectCall, keyPairId: string): Promise<string> {
  const found = isId(keyPairId)
    ? await queryOne<{ public_key: string }>(
        sql`SELECT public_key FROM key_pairs WHERE project_id = ${call.project_id}::uuid AND id = ${keyPairId}::uuid`,
      )
    : undefined;
  if (!found) throw noSuch('key_pair_id', 'key pair');
  return found.public_key;
}
