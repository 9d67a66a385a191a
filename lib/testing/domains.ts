import type { DomainName } from '@/lib/platform/domains';
import { certificatesTesting } from './domains/certificates';
import { computeTesting } from './domains/compute';
import { functionsTesting } from './domains/functions';
import { gatewayTesting } from './domains/gateway';
import { imagesTesting } from './domains/images';
import { layersTesting } from './domains/layers';
import { loadbalancingTesting } from './domains/loadbalancing';
import { networkTesting } from './domains/network';
import { objectsTesting } from './domains/objects';
import { observabilityTesting } from './domains/observability';
import { secretsTesting } from './domains/secrets';
import { storageTesting } from './domains/storage';
import type { DomainTesting } from './fixture';

/** Test fixtures of each domain, for the suites that cover all domains. */
export const domainTesting: Readonly<Record<DomainName, DomainTesting>> = {
  compute: computeTesting,
  network: networkTesting,
  loadbalancing: loadbalancingTesting,
  gateway: gatewayTesting,
  certificates: certificatesTesting,
  storage: storageTesting,
  objects: objectsTesting,
  layers: layersTesting,
  functions: functionsTesting,
  images: imagesTesting,
  secrets: secretsTesting,
  observability: observabilityTesting,
};
