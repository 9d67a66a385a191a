import { createHmac, timingSafeEqual } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { signingKeys } from '@/lib/keyring';

const ISSUER = 'nephele';
const ALGORITHM = 'HS256';

/** The purpose of a signed token. A token for one purpose is invalid for another. */
export type Audience = 'tenant' | 'backoffice' | 'challenge' | 'workload';

export type TokenClaims = { sub: string; sid?: string; [claim: string]: unknown };

/** `exp` in seconds since 1970. */
type VerifiedClaims = TokenClaims & { exp: number };

/** A JWT (RFC 7519), HS256 with the current signing key and the key's id. */
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

/** Exactly the header that `signToken` writes: no other algorithm and no other parameters. */
const header = z.strictObject({ alg: z.literal(ALGORITHM), kid: z.string(), typ: z.literal('JWT') });
const claims = z.looseObject({
  iss: z.literal(ISSUER),
  aud: z.string(),
  sub: z.string(),
  sid: z.string().optional(),
  exp: z.number(),
});

/**
 * The claims of an unexpired token of ours for this audience; otherwise undefined. Runs on every request, so the
 * signature is checked synchronously: WebCrypto's detour through another thread costs ten times as much.
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
