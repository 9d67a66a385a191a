import type { EngineDriver } from '../cluster/driver';
import type { UpgradeEngine } from '../jobs/engine';
import { newLook } from './agent';
import { singleBackups } from './backups';
import type { SingleEngine } from './engine';
import { settleSecrets } from './settle';
import { inStep } from './state';

/** The driver of an engine of one member, which is also the primary. Questions to it keep no connection open. */
export const singleDriver = (engine: SingleEngine, upgrades: UpgradeEngine | null): EngineDriver => ({
  memberSpec: engine.memberSpec,
  settleRoles: (cluster, member) => settleSecrets(engine, cluster, member),
  inStep,
  primaryFirst: null,
  async switchPrimary() {
    throw new Error(`A ${engine.title} cluster has one member: there is nothing to switch to.`);
  },
  newLook: () => newLook(engine),
  backups: singleBackups(engine.checkSpec),
  upgrades,
  forget() {},
  async forgetAll() {},
});
