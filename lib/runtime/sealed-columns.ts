import { sealedSigningSecrets } from '@/lib/alerts/signing';
import type { SealedColumn } from '@/lib/crypto/reseal';
import { sealedInvitationCodes } from '@/lib/identity/account-mail';
import { sealedSecondFactors } from '@/lib/identity/second-factor';
import { sealedSecrets } from '@/lib/secrets/envelope';

/** Everything that is stored sealed, but for the kept answers of requests, which expire within a day. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedSecrets,
  sealedSecondFactors,
  sealedInvitationCodes,
  ...sealedSigningSecrets,
];
