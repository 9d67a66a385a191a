import type { EngineDriver } from '../cluster/driver';
import { newLook } from './agent';
import { mariadbBackups } from './backups';
import { forget, forgetAll } from './connections';
import { inStep } from './in-step';
import { settleRoles } from './roles';
import { memberSpec } from './specs';
import { switchPrimary } from './switch';
import { mariadbUpgrades } from './upgrade/engine';

export const mariadbDriver: EngineDriver = {
  memberSpec,
  settleRoles,
  inStep,
  primaryFirst: null,
  switchPrimary,
  newLook,
  backups: mariadbBackups,
  upgrades: mariadbUpgrades,
  forget,
  forgetAll,
};
