import { z } from 'zod';
import { dimensionUnits } from '@/lib/core/quota/dimensions';
import { errorStatus } from './errors';

/** ISO 8601 in UTC, the format of all times in the API. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC.', example: '2026-03-01T12:00:00.000Z' });

export const id = z.uuid().meta({ description: 'A UUIDv7.', example: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' });

/** The path parameter of `/…/{id}`. A malformed id cannot exist: 404. */
export const idParams = z.strictObject({ id });

/** An id in a body. A malformed one passes here, and the service answers 404, because it cannot exist. */
export const reference = z
  .string()
  .max(200)
  .meta({ description: 'The id of a resource in this project.', format: 'uuid', example: id.meta()?.example });

/** A display name: 1 to 100 characters, no line breaks. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .meta({ description: '1 to 100 characters.' });

/** A name for scripts and addresses: lower-case letters, digits and dashes. */
export const slug = z
  .string()
  .min(2)
  .max(63)
  .regex(/^[a-z][a-z0-9-]*[a-z0-9]$/, 'must be lowercase letters, digits and dashes, starting with a letter')
  .meta({ description: 'Lowercase letters, digits and dashes, starting with a letter.' });

export const email = z.email().max(254).toLowerCase().meta({ description: 'An e-mail address; case-insensitive.' });

/** A new password. Only length counts (NIST SP 800-63B). */
export const newPassword = z
  .string()
  .min(10)
  .max(256)
  .meta({ description: '10 to 256 characters.', format: 'password' });

/** The error record of spec 2.2 (`application/json`). */
export const errorRecord = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(errorStatus) as [keyof typeof errorStatus, ...(keyof typeof errorStatus)[]]),
      message: z.string(),
      status: z.int(),
      timestamp,
    }),
  })
  .meta({ id: 'Error', description: 'Every error response except a quota breach.' });

/** The quota-breach record of spec 2.3. */
export const quotaBreachRecord = z.strictObject({ detail: z.string() }).meta({
  id: 'QuotaBreach',
  description: `Names the exceeded dimension (${Object.keys(dimensionUnits).join(', ')}), its limit and its current use.`,
  example: {
    detail: 'Quota exceeded for instances: limit 10, in use 10. Ask an administrator to raise instances_limit.',
  },
});

/** The timestamps of every resource. */
export const times = { created_at: timestamp, updated_at: timestamp };
