import { createHmac, timingSafeEqual } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { signingKeys } from '@/lib/keyring';

const ISSUER = 'nephele';
const ALGORITHM = 'HS256';

/** What a signed token is for. A token made for one purpose is worth nothing for another. */
export type Audience = 'tenant' | 'backoffice' | 'challenge' | 'workload';

export type TokenClaims = { sub: string; sid?: string; [claim: string]: unknown };

/** `exp` in seconds since 1970. */
type VerifiedClaims = TokenClaims & { exp: number };

/** A JWT (RFC 7519), HS256 under the current signing key, whose id it carries. */
export async function signToken(
  audience: Audience,
  claims: TokenClaims,
  issuedAt: Date,
  expiresAt: Date,
): Promise<string> {
  const { id, secret } = signingKeys().current;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(secret);
}

/** Exactly what `signToken` writes: no other algorithm, and no header that would have to be understood. */
const header = z.strictObject({ alg: z.literal(ALGORITHM), kid: z.string(), typ: z.literal('JWT') });
const claims = z.looseObject({
  iss: z.literal(ISSUER),
  aud: z.string(),
  sub: z.string(),
  sid: z.string().optional(),
  exp: z.number(),
});

/**
 * The claims of a token that is ours, for this audience, and not expired; otherwise undefined. Every request comes
 * through here, so that the signature is compared on the spot: WebCrypto's detour over another thread costs ten times as
 * much.
 */
export function verifyToken(audience: Audience, token: string, at: Date): VerifiedClaims | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  const { kid } = header.safeParse(decode(head)).data ?? {};
  const key = kid === undefined || more.length > 0 ? undefined : signingKeys().byId(kid);
  if (!key) return undefined;
  const expected = Buffer.from(createHmac('sha256', key.secret).update(`${head}.${body}`).digest('base64url'));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { data } = claims.safeParse(decode(body));
  return data?.aud === audience && at.getTime() < data.exp * 1000 ? data : undefined;
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
