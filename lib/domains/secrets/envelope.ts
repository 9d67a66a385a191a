import { randomBytes } from 'node:crypto';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { decrypt, encrypt, open, seal } from '@/lib/core/crypto/seal';

/** A payload under a data key of its own, and that key under the platform's. */
export type Envelope = { ciphertext: Buffer; sealed_data_key: Buffer };

/** Tenant and id are bound to both layers: an envelope opens only as the row it was made for. */
const place = (projectId: string, id: string) => Buffer.from(`secret:${projectId}:${id}`);

/** Data keys, for `npm run admin -- reseal`; payloads stay as they are. */
export const sealedSecrets: SealedColumn = {
  table: 'secrets',
  column: 'sealed_data_key',
  key: 'id',
  bound: "'secret:' || project_id || ':' || id",
};

/** Encrypts a payload for one row (envelope encryption, AES-256-GCM). */
export function sealPayload(projectId: string, id: string, payload: Uint8Array): Envelope {
  const dataKey = randomBytes(32);
  const bound = place(projectId, id);
  return { ciphertext: encrypt(dataKey, payload, bound), sealed_data_key: seal(dataKey, bound) };
}

/** Gives the payload back. @throws when the envelope belongs to another row or was changed */
export function openPayload(projectId: string, id: string, envelope: Envelope): Buffer {
  const bound = place(projectId, id);
  return decrypt(open(envelope.sealed_data_key, bound), envelope.ciphertext, bound);
}
