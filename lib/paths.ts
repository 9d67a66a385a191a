import { certificatesPaths } from '@/lib/domains/certificates/paths';
import { computePaths } from '@/lib/domains/compute/paths';
import { functionPaths } from '@/lib/domains/functions/paths';
import { gatewayPaths } from '@/lib/domains/gateway/paths';
import { imagesPaths } from '@/lib/domains/images/paths';
import { layersPaths } from '@/lib/domains/layers/paths';
import { loadbalancingPaths } from '@/lib/domains/loadbalancing/paths';
import { networkPaths } from '@/lib/domains/network/paths';
import { objectsPaths } from '@/lib/domains/objects/paths';
import { observabilityPaths } from '@/lib/domains/observability/paths';
import { secretsPaths } from '@/lib/domains/secrets/paths';
import { storagePaths } from '@/lib/domains/storage/paths';
import { platformPaths } from '@/lib/platform-paths';

export { adminPaths, galleryPath, isAdminPage, projectOf, safeAdminBack, safeBack } from '@/lib/platform-paths';

/** Builds all links; pages contain no handwritten addresses. `project` is the project's slug. */
export const paths = {
  ...platformPaths,
  ...certificatesPaths,
  ...computePaths,
  ...imagesPaths,
  ...functionPaths,
  ...gatewayPaths,
  ...layersPaths,
  ...loadbalancingPaths,
  ...networkPaths,
  ...objectsPaths,
  ...observabilityPaths,
  ...secretsPaths,
  ...storagePaths,
};
