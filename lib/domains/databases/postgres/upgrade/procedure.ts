import type { HeldEndpoint, Switched } from '../../jobs/engine';
import { UpgradeTrouble } from '../../jobs/trouble';
import { dropApplyRole, settleApplyRole } from './apply-role';
import { copySchemas } from './copy-schema';
import { copyDatabases, databasesOf } from './databases';
import { createOwnSchema, removeOwnSchema, runsOlderThan, watchChanges } from './ddl-watch';
import { analyze, refreshViews } from './derived';
import {
  copyProgress,
  endReplication,
  followBack,
  lagBytes,
  publish,
  REPLICATION_ENDED,
  subscribeWithCopy,
} from './replicate';
import { copyRoles, copySettings } from './roles';
import type { Side } from './side';
import { type Switch, switchOver, takeBack, untilAllArrived } from './switch-over';
import { canFollow, keepLog, limitKeptLog, whatReplicationMisses } from './way-back';
import { allowWrites } from './writes';

/**
 * An upgrade by logical replication, part by part; every part may be repeated after a crash at any point. `former` is the side
 * of the version before, `next` an empty cluster of the version after, both with `wal_level = logical`.
 */
export type Upgrade = { jobId: string; databases: readonly string[]; former: Side; next: Side };

/** Less than this is applied within the pause. */
const NEAR_BYTES = 1024 * 1024;

/**
 * Gives the next side roles, databases and settings, and begins to record changes of the schema.
 * @returns whether the copy may begin: not before transactions that were not recorded from their beginning have ended
 */
export async function prepare(
  { databases, former, next }: Upgrade,
  since: readonly string[] | null,
): Promise<{ ready: boolean; since: string[] }> {
  if (since === null) {
    await copyRoles(former, next);
    await copyDatabases(former, next);
    await copySettings(former, next);
    for (const side of [former, next]) await createOwnSchema(side, databases);
  }
  const from = since === null ? await watchChanges(former, databases) : [...since];
  return { ready: !(await runsOlderThan(former, databases, from)), since: from };
}

/** Copies the schemas, and subscribes the next side, which begins to copy the rows. */
export async function beginCopy({ databases, former, next, jobId }: Upgrade): Promise<void> {
  await copySchemas(former, next, databases);
  await publish(former, databases, jobId, 'forward');
  await settleApplyRole(next, databases);
  await subscribeWithCopy(former, next, databases, jobId);
}

export type Following = {
  /** Every table is copied, and the next side is close behind. */
  isNear: boolean;
  tables: number;
  copied: number;
  percent: number;
  lagBytes: number;
};

/** How far the next side is. @throws UpgradeTrouble once it can never be what the former side is */
export async function lookAtCopy({ databases, former, next, jobId }: Upgrade): Promise<Following> {
  const missed = await whatReplicationMisses(former, databases);
  if (missed !== null) throw new UpgradeTrouble(`${missed} Upgrade again once schemas are no longer being changed.`);
  const lag = await lagBytes(former, databases, jobId, 'forward');
  if (lag === null) throw new UpgradeTrouble(REPLICATION_ENDED);
  const { tables, copied, bytes, copiedBytes } = await copyProgress(former, next, databases, jobId);
  const percent = bytes === 0 ? 100 : Math.floor((100 * copiedBytes) / bytes);
  return { isNear: tables > 0 && copied === tables && lag < NEAR_BYTES, tables, copied, percent, lagBytes: lag };
}

/** Statistics and materialized views, which replication leaves out. */
export async function completeCopy({ databases, former, next }: Upgrade): Promise<void> {
  await analyze(next, databases);
  await refreshViews(former, next, databases);
}

type Switching = { endpoint: HeldEndpoint; limits?: Switch['limits']; onPart?: Switch['onPart'] };

/** Moves all clients to the next side; the former side can follow from here on. See `switchOver`. */
export const switchToNext = ({ databases, former, next, jobId }: Upgrade, switching: Switching): Promise<Switched> =>
  switchOver({
    from: former,
    to: next,
    toward: 'next',
    databases,
    jobId,
    way: 'forward',
    back: 'reverse',
    ...switching,
  });

/** Undoes a switch whose worker was killed in it. The endpoint must not have been released on the next side. */
export const takeBackSwitch = ({ databases, former, next, jobId }: Upgrade, switching: Switching): Promise<void> =>
  takeBack({ from: former, to: next, toward: 'next', databases, jobId, way: 'forward', back: 'reverse', ...switching });

/**
 * Lets the former side follow the next one, which keeps its log for it up to a limit.
 * @param keptLogMb null: the limit that the server's own settings have
 * @throws UpgradeTrouble when changes do not arrive there
 */
export async function keepFormer({ databases, former, next, jobId }: Upgrade, keptLogMb: number | null): Promise<void> {
  await endReplication(former, next, databases, 'forward');
  if (keptLogMb !== null) await limitKeptLog(next, keptLogMb);
  await settleApplyRole(former, databases);
  await followBack(next, former, databases, jobId);
  await untilAllArrived(next, former, databases, ARRIVES_WITHIN_MS, 'reverse');
}

const ARRIVES_WITHIN_MS = 60_000;

/** Whether the upgrade can be taken back after its completion. */
export const wayBack = ({ databases, next, jobId }: Upgrade) => canFollow(next, databases, jobId, 'reverse');

/**
 * What comes before the switch back: everything that replication left out.
 * @returns whether the former side is close enough for it
 * @throws UpgradeTrouble when there is no way back, with the reason
 */
export async function prepareWayBack(upgrade: Upgrade): Promise<{ isNear: boolean; lagBytes: number }> {
  const { databases, former, next } = upgrade;
  const found = await wayBack(upgrade);
  if (!found.possible) throw new UpgradeTrouble(found.reason);
  if (found.lagBytes >= NEAR_BYTES) return { isNear: false, lagBytes: found.lagBytes };
  await copyRoles(next, former);
  await copySettings(next, former);
  await refreshViews(next, former, databases);
  return { isNear: true, lagBytes: found.lagBytes };
}

/** Moves all clients back to the former side, with everything that was written on the next one. */
export const switchBack = ({ databases, former, next, jobId }: Upgrade, switching: Switching): Promise<Switched> =>
  switchOver({ from: next, to: former, toward: 'former', databases, jobId, way: 'reverse', back: null, ...switching });

/** Undoes a switch back whose worker was killed in it. */
export const takeBackSwitchBack = ({ databases, former, next, jobId }: Upgrade, switching: Switching): Promise<void> =>
  takeBack({ from: next, to: former, toward: 'former', databases, jobId, way: 'reverse', back: null, ...switching });

/** Removes what an upgrade left on the side that serves. The other side, which may be gone, is removed as a whole. */
export async function forgetUpgrade(serving: Side): Promise<void> {
  const databases = await databasesOf(serving);
  for (const way of ['forward', 'reverse'] as const) await endReplication(serving, serving, databases, way);
  await keepLog(serving);
  await allowWrites(serving);
  await removeOwnSchema(serving, databases);
  await dropApplyRole(serving, databases);
}
