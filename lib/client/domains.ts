import type { DomainPortal } from '@/lib/core/domains/portal';
import { certificatesPortal } from '@/lib/domains/certificates/portal';
import { computePortal } from '@/lib/domains/compute/portal';
import { functionsPortal } from '@/lib/domains/functions/portal';
import { gatewayPortal } from '@/lib/domains/gateway/portal';
import { imagesPortal } from '@/lib/domains/images/portal';
import { layersPortal } from '@/lib/domains/layers/portal';
import { loadbalancingPortal } from '@/lib/domains/loadbalancing/portal';
import { networkPortal } from '@/lib/domains/network/portal';
import { objectsPortal } from '@/lib/domains/objects/portal';
import { observabilityPortal } from '@/lib/domains/observability/portal';
import { secretsPortal } from '@/lib/domains/secrets/portal';
import { storagePortal } from '@/lib/domains/storage/portal';

/** The portal parts of all domains; `lib/platform/domains.test.ts` detects a missing one. */
export const domainPortals: readonly DomainPortal[] = [
  certificatesPortal,
  computePortal,
  functionsPortal,
  gatewayPortal,
  imagesPortal,
  layersPortal,
  loadbalancingPortal,
  networkPortal,
  objectsPortal,
  observabilityPortal,
  secretsPortal,
  storagePortal,
];
