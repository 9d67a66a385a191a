import type { EngineDriver } from '../cluster/driver';
import { newLook } from './agent';
import { qdrantBackups } from './backups';
import { settleKey } from './key';
import { memberSpec } from './specs';
import { inStep } from './state';

/** One member, which is also the primary. Questions to it keep no connection open. */
export const qdrantDriver: EngineDriver = {
  memberSpec,
  settleRoles: settleKey,
  inStep,
  primaryFirst: null,
  async switchPrimary() {
    throw new Error('A Qdrant cluster has one member: there is nothing to switch to.');
  },
  newLook,
  backups: qdrantBackups,
  forget() {},
  async forgetAll() {},
};
