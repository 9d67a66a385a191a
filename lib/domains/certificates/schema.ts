import { isIP } from 'node:net';
import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';
import { isDnsName } from './names';

export const certificateStatuses = ['pending', 'issued', 'expiring', 'expired', 'failed'] as const;
export type CertificateStatus = (typeof certificateStatuses)[number];
const status = z.enum(certificateStatuses);

const chainCertificate = z
  .strictObject({
    subject: z.string(),
    issuer: z.string(),
    serial_number: z.string(),
    key: z.string().meta({ description: 'Type and size of its key.', example: 'EC P-256' }),
    not_before: timestamp,
    not_after: timestamp,
  })
  .meta({ id: 'ChainCertificate' });

const use = z
  .strictObject({ type: z.string().meta({ example: 'load_balancer' }), id, name: z.string() })
  .meta({ id: 'CertificateUse', description: 'A resource that serves the certificate.' });

/** A certificate without its key, which no answer contains. */
export const certificate = z
  .strictObject({
    id,
    name: displayName,
    domains: z.array(z.string()).meta({ description: 'Host names and IP addresses that it is valid for.' }),
    issuer: z.enum(['upload', 'acme']),
    status: status.meta({
      description:
        '`pending`: ordered. `expiring`: ends within 14 days, or within the last third of its life if that is shorter.',
    }),
    status_reason: z.string().nullable().meta({ description: 'Why the last order failed.' }),
    not_before: timestamp.nullable(),
    not_after: timestamp.nullable(),
    fingerprint_sha256: z.string().nullable(),
    used_by: z.array(use),
    next_order_at: timestamp.nullable().meta({
      description: 'Next automatic order: a renewal, or another try. null for uploads and during an order.',
    }),
    chain: z.array(chainCertificate).meta({ description: 'The certificate, then the one that issued it, and so on.' }),
    ...times,
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof certificate>;

/** As many names as Let's Encrypt takes. */
const MOST_DOMAINS = 100;
const orderedDomain = z
  .string()
  .max(253)
  .toLowerCase()
  .refine((name) => !name.startsWith('*'), 'must not be a wildcard: http-01 cannot validate it')
  .refine((name) => isDnsName(name) && name.includes('.') && isIP(name) === 0, 'must be a host name');

export const createCertificate = z
  .strictObject({
    name: displayName,
    certificate_pem: z.string().min(1).optional().meta({
      description: 'The certificate, then the one that issued it, and so on, in PEM; at most 64 KiB.',
    }),
    private_key_pem: z.string().min(1).optional().meta({
      description: 'Its private key in PEM, not encrypted: RSA from 2048 bits, or EC on P-256, P-384 or P-521.',
      format: 'password',
    }),
    issuer: z.enum(['acme']).optional().meta({ description: 'Orders the certificate from a certificate authority.' }),
    domains: z.array(orderedDomain).min(1).max(MOST_DOMAINS).optional().meta({
      description: 'With `issuer`: host names below the project’s own domain, without wildcards.',
    }),
  })
  .refine(({ issuer, certificate_pem }) => issuer || certificate_pem, {
    path: ['certificate_pem'],
    error: 'is required, unless issuer is acme',
  })
  .refine(({ issuer, private_key_pem }) => issuer || private_key_pem, {
    path: ['private_key_pem'],
    error: 'is required, unless issuer is acme',
  })
  .refine(({ issuer, certificate_pem, private_key_pem }) => !issuer || !(certificate_pem || private_key_pem), {
    path: ['issuer'],
    error: 'cannot be combined with an uploaded certificate',
  })
  .refine(({ issuer, domains }) => Boolean(issuer) === Boolean(domains), {
    path: ['domains'],
    error: 'is required with issuer acme, and only with it',
  })
  .meta({
    id: 'CreateCertificate',
    example: {
      name: 'shop',
      certificate_pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      private_key_pem: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
    },
  });
export type CreateCertificate = z.output<typeof createCertificate>;

export const certificateQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    status: status.optional(),
    domain: z.string().max(253).toLowerCase().optional().meta({ description: 'One of its names.' }),
    tag: tagFilter,
  },
  ['name'],
);
