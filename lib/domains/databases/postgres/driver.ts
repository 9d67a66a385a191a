import type { EngineDriver } from '../cluster/driver';
import { newLook } from './agent';
import { postgresBackups } from './backups';
import { forget, forgetAll } from './connections';
import { inStep } from './in-step';
import { settleRoles } from './roles';
import { memberSpec } from './specs';
import { lowerPrimary, switchPrimary } from './switch';
import { postgresUpgrades } from './upgrade/engine';

export const postgresDriver: EngineDriver = {
  memberSpec,
  settleRoles,
  inStep,
  primaryFirst: lowerPrimary,
  switchPrimary,
  newLook,
  backups: postgresBackups,
  upgrades: postgresUpgrades,
  forget,
  forgetAll,
};
