import type { EngineDriver } from '../cluster/driver';
import { newLook } from './agent';
import { valkeyBackups } from './backups';
import { forget, forgetAll } from './connections';
import { inStep } from './follow';
import { memberSpec } from './specs';
import { switchPrimary } from './switch';
import { valkeyUpgrades } from './upgrade/engine';
import { settleUsers } from './users';

export const valkeyDriver: EngineDriver = {
  memberSpec,
  settleRoles: settleUsers,
  inStep,
  primaryFirst: null,
  switchPrimary,
  newLook,
  backups: valkeyBackups,
  upgrades: valkeyUpgrades,
  forget,
  forgetAll,
};
