import type { EngineDriver } from '../cluster/driver';
import { newLook } from './agent';
import { forget, forgetAll } from './connections';
import { inStep } from './in-step';
import { lastBackup } from './last-backup';
import { settleRoles } from './roles';
import { memberSpec } from './specs';
import { lowerPrimary, switchPrimary } from './switch';

export const postgresDriver: EngineDriver = {
  memberSpec,
  settleRoles,
  inStep,
  primaryFirst: lowerPrimary,
  switchPrimary,
  newLook,
  lastBackup,
  forget,
  forgetAll,
};
