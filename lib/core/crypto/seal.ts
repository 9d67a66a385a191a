import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { encryptionKeys } from '@/lib/keyring';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM (NIST SP 800-38D) under a 32-byte key: iv · ciphertext · tag. `bound` must be the same to decrypt. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, bound: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(bound);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The opposite of `encrypt`. @throws when the bytes, the key or what they are bound to do not fit */
export function decrypt(key: Uint8Array, box: Uint8Array, bound: Uint8Array): Buffer {
  const bytes = Buffer.from(box);
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/**
 * Encrypts under the platform's current key-encryption key, whose id goes in front, so that keys can be rotated.
 * `bound` ties the box to its place: the tenant and the row it belongs to.
 */
export function seal(plaintext: Uint8Array, bound: Uint8Array | string): Buffer {
  const { id, secret } = encryptionKeys().current;
  const name = Buffer.from(id);
  return Buffer.concat([Buffer.from([name.length]), name, encrypt(secret, plaintext, Buffer.from(bound))]);
}

/** The opposite of `seal`. @throws when the key is gone, or the box was not made for this place */
export function open(box: Uint8Array, bound: Uint8Array | string): Buffer {
  const bytes = Buffer.from(box);
  const nameEnd = 1 + (bytes[0] ?? 0);
  const id = bytes.subarray(1, nameEnd).toString();
  const key = encryptionKeys().byId(id);
  if (!key) throw new Error(`encryption key ${id} is not in the keyring; add it back to read data encrypted with it`);
  return decrypt(key.secret, bytes.subarray(nameEnd), Buffer.from(bound));
}

/** Which key a box was sealed with; for finding what a rotation has left to seal anew. */
export function sealedWith(box: Uint8Array): string {
  const bytes = Buffer.from(box);
  return bytes.subarray(1, 1 + (bytes[0] ?? 0)).toString();
}
