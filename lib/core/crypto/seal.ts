import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { encryptionKeys } from '@/lib/keyring';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D) with a 32-byte key. Returns iv · ciphertext · tag; decryption needs the same `bound`.
 */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, bound: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(bound);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a box of `encrypt`. @throws when the bytes, the key or `bound` do not match */
export function decrypt(key: Uint8Array, box: Uint8Array, bound: Uint8Array): Buffer {
  const bytes = Buffer.from(box);
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/**
 * Encrypts with the platform's current key-encryption key; the key's id comes first, so that keys can be rotated.
 * `bound` ties the box to its tenant and row.
 */
export function seal(plaintext: Uint8Array, bound: Uint8Array | string): Buffer {
  const { id, secret } = encryptionKeys().current;
  const name = Buffer.from(id);
  return Buffer.concat([Buffer.from([name.length]), name, encrypt(secret, plaintext, Buffer.from(bound))]);
}

/** Decrypts a box of `seal`. @throws when the key is missing or the box belongs to another place */
export function open(box: Uint8Array, bound: Uint8Array | string): Buffer {
  const bytes = Buffer.from(box);
  const nameEnd = 1 + (bytes[0] ?? 0);
  const id = bytes.subarray(1, nameEnd).toString();
  const key = encryptionKeys().byId(id);
  if (!key) throw new Error(`encryption key ${id} is not in the keyring; add it back to read data encrypted with it`);
  return decrypt(key.secret, bytes.subarray(nameEnd), Buffer.from(bound));
}

/** The id of the key that sealed a box; finds the values that a rotation must reseal. */
export function sealedWith(box: Uint8Array): string {
  const bytes = Buffer.from(box);
  return bytes.subarray(1, 1 + (bytes[0] ?? 0)).toString();
}
