import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { z } from 'zod';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';

/** The algorithm that every OpenID Connect client must know (Discovery 1.0, section 3). */
const ALGORITHM = 'RS256';
const HOUR_MS = 60 * 60 * 1000;
/** How long a key signs. */
const rotatedAfter = raw("interval '90 days'");
/** How long a new key is published before it signs: clients keep a key set for up to an hour. */
const publishedBefore = raw("interval '1 hour'");
/** How long a key is published after its successor: an ID token may be the hint of a sign-out until its session ends. */
const publishedAfter = raw("interval '30 days'");

/** What ties a sealed key to its row. */
const place = (id: string) => `oidc-key:${id}`;

/** For `npm run admin -- reseal`. */
export const sealedSsoKeys: SealedColumn = {
  table: 'oidc_keys',
  column: 'private_jwk',
  key: 'id',
  bound: "'oidc-key:' || id",
};

const privateJwk = z.looseObject({ kty: z.string(), kid: z.string() });

/** The private keys of the provider, the one that signs now first. Makes the first key. */
export async function ssoKeys(): Promise<JWK[]> {
  const keys = await storedKeys();
  if (keys.some(({ signs }) => signs)) return keys.map(({ jwk }) => jwk);
  await addKey(raw('platform_now()'), raw('NOT EXISTS (SELECT FROM oidc_keys WHERE signs_from <= platform_now())'));
  return (await storedKeys()).map(({ jwk }) => jwk);
}

async function storedKeys(): Promise<{ jwk: JWK; signs: boolean }[]> {
  const rows = await query<{ id: string; private_jwk: Buffer; signs: boolean }>(sql`
    SELECT id, private_jwk, signs_from <= platform_now() AS signs FROM oidc_keys
    ORDER BY signs_from <= platform_now() DESC, signs_from DESC, id DESC`);
  return rows.map(({ id, private_jwk, signs }) => ({
    jwk: privateJwk.parse(JSON.parse(open(private_jwk, place(id)).toString())),
    signs,
  }));
}

/** Publishes a new key, which signs from an hour on. @returns its id */
export function rotateSsoKey(): Promise<string> {
  return addKey(sql`platform_now() + ${publishedBefore}`, raw('true'));
}

async function addKey(signsFrom: Sql, condition: Sql): Promise<string> {
  const id = newId();
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: id, alg: ALGORITHM, use: 'sig' };
  const sealed = seal(Buffer.from(JSON.stringify(jwk)), place(id));
  await execute(sql`INSERT INTO oidc_keys (id, private_jwk, signs_from)
    SELECT ${id}::uuid, ${sealed}::bytea, ${signsFrom} WHERE ${condition}`);
  return id;
}

/** Rotates the key that signs, and forgets keys whose tokens have long expired. */
export const rotateSsoKeysJob: PeriodicJob = {
  name: 'rotate single sign-on keys',
  every_ms: HOUR_MS,
  async run() {
    await execute(sql`
      DELETE FROM oidc_keys k WHERE EXISTS (
        SELECT FROM oidc_keys successor WHERE (successor.signs_from, successor.id) > (k.signs_from, k.id)
          AND successor.signs_from < platform_now() - ${publishedAfter})`);
    const [newest] = await query<{ due: boolean }>(sql`
      SELECT max(signs_from) < platform_now() - ${rotatedAfter} AS due FROM oidc_keys HAVING count(*) > 0`);
    if (newest?.due) await rotateSsoKey();
  },
};
