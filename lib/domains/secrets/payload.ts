import { X509Certificate } from 'node:crypto';
import { invalid } from '@/lib/core/api/errors';
import { type CreateSecret, PAYLOAD_BYTES, type Secret } from './schema';

/** A payload's bytes and what its type says of them. */
export type CheckedPayload = { bytes: Buffer; certificate: Secret['certificate'] };

/** AES and ChaCha20 keys; HMAC keys of the common hashes. */
const KEY_BYTES = [16, 24, 32, 48, 64];

/**
 * Decodes a payload and checks it by its type: a certificate must parse, a key must have a size that a cipher takes, a
 * passphrase is text.
 * @throws ApiError 400 that names the field
 */
export function checkPayload({ type, payload, payload_encoding }: CreateSecret): CheckedPayload {
  const bytes = decode(payload, payload_encoding);
  if (bytes.length === 0) throw invalid('payload: must not be empty.');
  if (bytes.length > PAYLOAD_BYTES)
    throw invalid(`payload: has ${bytes.length} bytes; the maximum is ${PAYLOAD_BYTES}.`);
  switch (type) {
    case 'certificate':
      return { bytes, certificate: readCertificate(bytes) };
    case 'symmetric_key':
      if (!KEY_BYTES.includes(bytes.length)) {
        throw invalid(
          `payload: a symmetric key must have ${KEY_BYTES.slice(0, -1).join(', ')} or ${KEY_BYTES.at(-1)} bytes; this one has ${bytes.length}. ` +
            'To send raw bytes, use payload_encoding base64.',
        );
      }
      return { bytes, certificate: null };
    case 'passphrase':
      if (payload_encoding !== 'utf8') throw invalid('payload_encoding: must be utf8 for a passphrase.');
      return { bytes, certificate: null };
    case 'opaque':
      return { bytes, certificate: null };
  }
}

function decode(payload: string, encoding: CreateSecret['payload_encoding']): Buffer {
  if (encoding === 'utf8') return Buffer.from(payload, 'utf8');
  const bytes = Buffer.from(payload, 'base64');
  // Buffer skips what is not base64; the round trip notices, and the payload can be given back as it came.
  if (bytes.toString('base64') !== payload) throw invalid('payload: is not valid base64 (RFC 4648, with padding).');
  return bytes;
}

/** Reads the first certificate of a PEM file (the leaf of a chain), or a DER one. */
function readCertificate(bytes: Buffer): NonNullable<Secret['certificate']> {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(bytes);
  } catch {
    throw invalid('payload: is not an X.509 certificate in PEM or DER.');
  }
  const names = (parsed.subjectAltName ?? '').split(', ').filter((name) => name.startsWith('DNS:'));
  return {
    subject: parsed.subject.replaceAll('\n', ', '),
    issuer: parsed.issuer.replaceAll('\n', ', '),
    serial_number: parsed.serialNumber,
    fingerprint_sha256: parsed.fingerprint256,
    domains: names.map((name) => name.slice('DNS:'.length)),
    not_before: new Date(parsed.validFrom).toISOString(),
    not_after: new Date(parsed.validTo).toISOString(),
  };
}
