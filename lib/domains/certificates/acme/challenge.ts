import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { isDnsName } from '../names';

/** RFC 8555, 8.3: base64url. */
const TOKEN = /^[A-Za-z0-9_-]{1,500}$/;

/**
 * The answer to a certificate authority that checks a host (RFC 8555, 8.3); undefined for any other token or host.
 * @param host the request's `Host`, with or without a port
 */
export async function challengeAnswer(token: string, host: string): Promise<string | undefined> {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (!TOKEN.test(token) || !isDnsName(name)) return undefined;
  const row = await queryOne<{ key_authorization: string }>(sql`SELECT key_authorization FROM acme_challenges
    WHERE token = ${token}::text AND host = ${name}::text`);
  return row?.key_authorization;
}
