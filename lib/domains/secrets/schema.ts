import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';

/** A secret's payload ends here, decoded. */
export const PAYLOAD_BYTES = 64 * 1024;

const secretTypes = ['passphrase', 'symmetric_key', 'certificate', 'opaque'] as const;
export type SecretType = (typeof secretTypes)[number];

const payloadEncoding = z
  .enum(['utf8', 'base64'])
  .meta({ description: 'Encoding of `payload`: text, or base64 (RFC 4648).' });

const certificate = z
  .strictObject({
    subject: z.string(),
    issuer: z.string(),
    serial_number: z.string(),
    fingerprint_sha256: z.string(),
    domains: z.array(z.string()),
    not_before: timestamp,
    not_after: timestamp,
  })
  .meta({ id: 'CertificateFacts', description: 'Details of the certificate.' });

/** A secret without its payload: what lists and creation show. */
export const secret = z
  .strictObject({
    id,
    name: displayName,
    type: z.enum(secretTypes),
    status: z.enum(['active', 'expired']),
    payload_encoding: payloadEncoding,
    size_bytes: z.int().meta({ description: 'Size of the decoded payload in bytes.' }),
    expires_at: timestamp.nullable(),
    certificate: certificate.nullable().meta({ description: 'For type `certificate`.' }),
    ...times,
  })
  .meta({ id: 'Secret' });
export type Secret = z.output<typeof secret>;

export const createSecret = z
  .strictObject({
    name: displayName,
    type: z.enum(secretTypes),
    payload: z.string().min(1).meta({ description: 'At most 64 KiB when decoded.', format: 'password' }),
    payload_encoding: payloadEncoding.default('utf8'),
    expires_at: timestamp.optional().meta({ description: 'Defaults to never; for a certificate, to its own expiry.' }),
  })
  .meta({
    id: 'CreateSecret',
    example: { name: 'database-password', type: 'passphrase', payload: 'correct horse battery staple' },
  });
export type CreateSecret = z.output<typeof createSecret>;

export const secretPayload = z
  .strictObject({ id, type: z.enum(secretTypes), payload: z.string(), payload_encoding: payloadEncoding })
  .meta({ id: 'SecretPayload', description: 'The payload as it was stored.' });
export type SecretPayload = z.output<typeof secretPayload>;

export const secretQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    type: z.enum(secretTypes).optional(),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    tag: tagFilter,
  },
  ['name'],
);
