import { z } from 'zod';
import { platformOperationKind } from '@/lib/core/operations/kind';

const MINUTE_MS = 60_000;

/** Orders a certificate from the certificate authority. */
export const orderCertificateKind = platformOperationKind({
  kind: 'certificate.order',
  resource_type: 'certificate',
  stages: ['account', 'key', 'place', 'challenges', 'validate', 'finalize', 'download'],
  input: z.strictObject({ order_id: z.uuid() }),
  deadline_ms: 30 * MINUTE_MS,
});

/** Mails an administrator of the project about a certificate, with retries. */
export const mailCertificateKind = platformOperationKind({
  kind: 'certificate.mail',
  resource_type: 'certificate_mail',
  stages: ['send'],
  input: z.strictObject({ certificate_id: z.uuid(), user_id: z.uuid(), about: z.enum(['failed', 'expiring']) }),
  deadline_ms: 24 * 60 * MINUTE_MS,
});
