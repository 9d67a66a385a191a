import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { sealedSecrets } from '@/lib/domains/secrets/envelope';
import { sealedSigningSecrets } from '@/lib/money/alerts/signing';
import { sealedInvitationCodes } from '@/lib/people/identity/account-mail';
import { sealedSecondFactors } from '@/lib/people/identity/second-factor';

/** Everything that is stored sealed, but for the kept answers of requests, which expire within a day. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedSecrets,
  sealedSecondFactors,
  sealedInvitationCodes,
  ...sealedSigningSecrets,
];
