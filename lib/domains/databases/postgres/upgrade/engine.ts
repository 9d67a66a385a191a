import { membersOf } from '../../cluster/clusters';
import type { Copied, UpgradeEngine, Work } from '../../jobs/engine';
import { openSecrets } from '../../secrets';
import { ask } from '../connections';
import { REPLICATION_ROLE } from '../settings-file';
import { stateOf } from '../state';
import { databasesOf } from './databases';
import { sideOf } from './member-side';
import { checkCompatibility } from './preflight/compatibility';
import {
  beginCopy,
  completeCopy,
  forgetUpgrade,
  keepFormer,
  lookAtCopy,
  prepare,
  prepareWayBack,
  switchBack,
  switchToNext,
  takeBackSwitch,
  takeBackSwitchBack,
  type Upgrade,
  wayBack,
} from './procedure';
import { allowFollowing } from './replicate';

const upgradeOf = ({ job, cluster, former, next }: Work): Upgrade => ({
  jobId: job.id,
  databases: job.databases,
  former: sideOf(cluster, former),
  next: sideOf(cluster, next),
});

/** The role that standbys and the other version follow with. Everything else comes from the former side. */
async function settleFollower({ cluster, next }: Work): Promise<null> {
  const { replication } = openSecrets(cluster.id, cluster.sealed_secrets);
  const found = await ask(cluster, next, `SELECT FROM pg_roles WHERE rolname = '${REPLICATION_ROLE}'`);
  const verb = found.length > 0 ? 'ALTER' : 'CREATE';
  await ask(cluster, next, `${verb} ROLE ${REPLICATION_ROLE} WITH LOGIN REPLICATION PASSWORD '${replication}'`);
  for (const system of ['postgres', 'template1'])
    await ask(cluster, next, `REVOKE ALL ON DATABASE ${system} FROM PUBLIC`);
  return null;
}

/** The agent sees to their replication. */
async function nextInStep({ job, cluster, next }: Work): Promise<string | null> {
  const state = await stateOf(cluster, next);
  if (!state.isUp || !state.isPrimary) return 'the new primary to serve';
  const standbys = membersOf(cluster, job.next_group).filter(({ role }) => role === 'standby');
  return standbys.every(({ in_sync }) => in_sync) ? null : 'the new standbys to catch up';
}

async function replicate(work: Work): Promise<Copied> {
  const { job } = work;
  const upgrade = upgradeOf(work);
  const more = (change: Copied['change']): Copied => ({ isDone: false, ...(change && { change }) });
  if (job.databases.length === 0) {
    const databases = await databasesOf(upgrade.former);
    return more({ databases, log: `Databases: ${databases.join(', ')}.` });
  }
  if (job.progress < 30) {
    const since = job.watched_since.length > 0 ? job.watched_since : null;
    const found = await prepare(upgrade, since);
    if (since === null) return more({ watched_since: found.since, log: 'Roles and databases are copied.' });
    if (!found.ready) return { isDone: false, waits_for: 'transactions that began before the copy to end' };
    for (const side of [upgrade.former, upgrade.next]) await allowFollowing(side, job.databases, REPLICATION_ROLE);
    await beginCopy(upgrade);
    return more({ progress: 30, log: 'The schema is copied, and rows are being copied.' });
  }
  const { isNear, tables, copied, percent, lagBytes } = await lookAtCopy(upgrade);
  const progress = 30 + Math.floor(percent * 0.5);
  if (!isNear) {
    const waits_for = `the copy: ${copied} of ${tables} tables, ${Math.ceil(lagBytes / 1024 ** 2)} MB behind`;
    return { isDone: false, waits_for, ...(progress > job.progress && { change: { progress } }) };
  }
  await completeCopy(upgrade);
  return { isDone: true, change: { log: `${tables} tables are copied; statistics and materialized views are made.` } };
}

/** PostgreSQL: a new cluster follows by logical replication, and the former one by the reverse one. */
export const postgresUpgrades: UpgradeEngine = {
  checkContents: (cluster, primary, target) =>
    checkCompatibility(sideOf(cluster, primary), Number(target), Object.keys(cluster.parameters)),
  settleNext: settleFollower,
  nextInStep,
  replicate,
  switchToNext: (work, endpoint, onPart) => switchToNext(upgradeOf(work), { endpoint, onPart }),
  takeBackSwitch: (work, endpoint) => takeBackSwitch(upgradeOf(work), { endpoint }),
  keepFormer: (work) => keepFormer(upgradeOf(work), null),
  wayBack: (work) => wayBack(upgradeOf(work)),
  prepareWayBack: (work) => prepareWayBack(upgradeOf(work)),
  switchBack: (work, endpoint) => switchBack(upgradeOf(work), { endpoint }),
  takeBackSwitchBack: (work, endpoint) => takeBackSwitchBack(upgradeOf(work), { endpoint }),
  forget: (cluster, serving) => forgetUpgrade(sideOf(cluster, serving)),
  ended() {},
};
