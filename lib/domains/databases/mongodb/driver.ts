import type { EngineDriver } from '../cluster/driver';
import { singleDriver } from '../single/driver';
import { checkSpec, keptFreeMb, memberSpec } from './specs';
import { usersMark } from './users';

/** A backup has the server's files as of one moment. Reads and writes wait while they are copied. */
export const mongodbDriver: EngineDriver = singleDriver(
  {
    title: 'MongoDB',
    memberSpec,
    checkSpec,
    secretsPath: '/platform/users',
    secretsMark: usersMark,
    keptFreeMb,
    alsoHelps: null,
    settleRoles: null,
  },
  // Its program has one version.
  null,
);
