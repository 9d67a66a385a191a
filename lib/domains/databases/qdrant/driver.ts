import type { EngineDriver } from '../cluster/driver';
import { openSecrets } from '../secrets';
import { singleDriver } from '../single/driver';
import { settleRoles } from './roles';
import { checkSpec, keptFreeMb, memberSpec } from './specs';
import { qdrantUpgrades } from './upgrade/engine';

/** A backup has all collections with their aliases. Writes to a collection wait while it is copied. */
export const qdrantDriver: EngineDriver = singleDriver(
  {
    title: 'Qdrant',
    memberSpec,
    checkSpec,
    secretsPath: '/platform/keys',
    secretsMark: ({ id, sealed_secrets }) => openSecrets(id, sealed_secrets).verifier,
    keptFreeMb,
    alsoHelps: 'collections are deleted',
    settleRoles,
  },
  qdrantUpgrades,
);
