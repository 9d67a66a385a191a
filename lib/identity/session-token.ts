import { errors, jwtVerify, SignJWT } from 'jose';
import { signingKeys } from '@/lib/keyring';

const ISSUER = 'nephele';

/** What a signed token is for. A token made for one purpose is worth nothing for another. */
export type Audience = 'tenant' | 'backoffice' | 'challenge' | 'workload';

export type TokenClaims = { sub: string; sid?: string; [claim: string]: unknown };

/** A JWT (RFC 7519), HS256 under the current signing key, whose id it carries. */
export async function signToken(
  audience: Audience,
  claims: TokenClaims,
  issuedAt: Date,
  expiresAt: Date,
): Promise<string> {
  const { id, secret } = signingKeys().current;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: id, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(secret);
}

/** The claims of a token that is ours, for this audience, and not expired; otherwise undefined. */
export async function verifyToken(audience: Audience, token: string, at: Date): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : signingKeys().byId(kid);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key.secret;
      },
      { issuer: ISSUER, audience, algorithms: ['HS256'], currentDate: at },
    );
    return typeof payload.sub === 'string' ? { ...payload, sub: payload.sub } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
