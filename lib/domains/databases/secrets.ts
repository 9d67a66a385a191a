import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { open, seal } from '@/lib/core/crypto/seal';

const secrets = z.object({
  /** Of the platform's own role, which connects through the member's Unix socket. */
  superuser: z.string(),
  /** Of the role that standbys copy and follow the primary with. */
  replication: z.string(),
  /** What the tenant's password is verified by (RFC 5802); the password itself is nowhere, but for MongoDB, whose server takes no verifiers. */
  verifier: z.string(),
});
export type ClusterSecrets = z.output<typeof secrets>;

const place = (clusterId: string) => `database_clusters:${clusterId}`;

export const sealSecrets = (clusterId: string, value: ClusterSecrets): Buffer =>
  seal(Buffer.from(JSON.stringify(value)), place(clusterId));

/** @throws when the key is missing or the box belongs to another cluster */
export const openSecrets = (clusterId: string, sealed: Uint8Array): ClusterSecrets =>
  secrets.parse(JSON.parse(open(sealed, place(clusterId)).toString()));

export const newPassword = (): string => randomBytes(24).toString('base64url');

const ITERATIONS = 4096;

/** What PostgreSQL stores of a password: `SCRAM-SHA-256$iterations:salt$stored key:server key` (RFC 5803). */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

/** What MariaDB stores of a password: two rounds of SHA-1 in hex, after an asterisk (`mysql_native_password`). */
export function nativeVerifier(password: string): string {
  const once = createHash('sha1').update(password).digest();
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`;
}
