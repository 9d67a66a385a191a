import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { each } from '@/lib/core/domains/domain';
import { sealedCertificateKeys } from '@/lib/hosts/certificates/certificates';
import { sealedSigningSecrets } from '@/lib/money/alerts/signing';
import { sealedInvitationCodes } from '@/lib/people/identity/account-mail';
import { sealedSecondFactors } from '@/lib/people/identity/second-factor';
import { sealedSsoKeys } from '@/lib/people/oidc/keys';
import { sealedSsoRecords } from '@/lib/people/oidc/records';
import { domains } from '@/lib/platform/domains';

/** All sealed columns, except stored answers of requests, which expire within a day. */
export const sealedColumns: readonly SealedColumn[] = [
  ...domains.flatMap(({ sealed }) => each(sealed)),
  sealedSecondFactors,
  sealedInvitationCodes,
  sealedSsoKeys,
  sealedSsoRecords,
  ...sealedSigningSecrets,
  ...sealedCertificateKeys,
];
