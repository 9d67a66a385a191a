import type { DomainPortal } from '@/lib/core/domains/portal';
import { computePortal } from '@/lib/domains/compute/portal';
import { imagesPortal } from '@/lib/domains/images/portal';
import { networkPortal } from '@/lib/domains/network/portal';
import { observabilityPortal } from '@/lib/domains/observability/portal';
import { secretsPortal } from '@/lib/domains/secrets/portal';
import { storagePortal } from '@/lib/domains/storage/portal';

/** The portal parts of all domains; `lib/platform/domains.test.ts` detects a missing one. */
export const domainPortals: readonly DomainPortal[] = [
  computePortal,
  imagesPortal,
  networkPortal,
  observabilityPortal,
  secretsPortal,
  storagePortal,
];
