import { now } from '@/lib/clock';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { reasonOf } from '@/lib/engines/error';
import { listPrograms } from '@/lib/hosts/services/programs';
import { type Cluster, primaryOf, servingMembers } from '../cluster/clusters';
import { engineTitles } from '../engines';
import { memberRoom } from '../plan';
import type { Preflight, PreflightCheck } from '../schema';
import { findVersion, supportOf } from '../versions';
import { memberName } from '../view';
import { type Check, checkOf, type Problem } from './check';
import { keptJobs } from './rows';
import { isUnreachable } from './trouble';
import { upgradesOf } from './work';

/** A backup is fresh for a day. */
const FRESH_MS = 24 * 60 * 60_000;
/** More of the disk in use than this leaves no room for the log that an upgrade keeps. */
const FULL = 0.8;

const problem = (text: string): Problem => ({ blocks: true, text });
const remark = (text: string): Problem => ({ blocks: false, text });

/**
 * The five checks before an upgrade (services, section 5).
 * @param reserved whether the new members' room is reserved already, as it is for an upgrade that has begun
 */
export async function runPreflight(
  cluster: Cluster,
  version: string,
  target: string,
  reserved = false,
): Promise<Preflight> {
  const checks = await Promise.all([
    checkPath(cluster, version, target),
    checkHealth(cluster),
    checkBackup(cluster),
    checkCapacity(cluster, reserved),
    checkContents(cluster, target),
  ]);
  return {
    target_version: target,
    passed: checks.every(({ status }) => status !== 'failed'),
    checked_at: now().toISOString(),
    checks: checks.map(shown),
  };
}

const actions: Record<Check['id'], string> = {
  certified_path: 'Choose one of the upgrade candidates.',
  cluster_health: 'Wait until the cluster is available and all its members are in step.',
  fresh_backup: 'Nothing: the upgrade makes a backup first.',
  capacity: 'Free room on the host, enlarge the storage of the cluster, or ask the operator.',
  compatibility: 'Change what is listed, then check again.',
};

const shown = (check: Check): PreflightCheck => ({ ...check, action: actionFor(check) });

function actionFor({ id, status }: Check): string | null {
  if (status === 'passed') return null;
  // An upgrade may start with warnings.
  return status === 'failed' || id === 'fresh_backup'
    ? actions[id]
    : 'You can start the upgrade. Review these warnings first.';
}

async function checkPath(cluster: Cluster, version: string, target: string): Promise<Check> {
  const { cell_id, engine } = cluster;
  const title = engineTitles[engine];
  const found = findVersion(engine, version);
  const next = findVersion(engine, target);
  const problems: Problem[] = [];
  if (!found?.upgrades_to.includes(target)) {
    const list = found?.upgrades_to.join(', ');
    problems.push(problem(`${title} ${version} cannot be upgraded to ${target}${list ? `, but to ${list}` : ''}.`));
  }
  if (next && supportOf(next) === 'end_of_life') problems.push(problem(`${title} ${target} is no longer supported.`));
  if (next && supportOf(next) === 'deprecated')
    problems.push(remark(`${title} ${target} is supported for less than half a year.`));
  const programs = await listPrograms(cell_id).catch(() => []);
  const program = programs.find((one) => one.name === next?.program?.name && one.version === next?.program?.version);
  if (program?.status === 'unavailable')
    problems.push(problem(`The program of ${title} ${target} is not available: ${program.message ?? ''}`));
  return checkOf(
    'certified_path',
    problems,
    `${title} ${version} to ${target} is certified.`,
    problems.some(({ blocks }) => blocks)
      ? 'This path is not certified.'
      : `${title} ${version} to ${target} is certified, but:`,
  );
}

async function checkHealth(cluster: Cluster): Promise<Check> {
  const members = servingMembers(cluster);
  const problems: Problem[] = [];
  if (!['available', 'upgrading'].includes(cluster.status))
    problems.push(
      problem(`The cluster is ${cluster.status}${cluster.status_reason ? `: ${cluster.status_reason}` : '.'}`),
    );
  for (const member of members) {
    const name = memberName(cluster.name, member.ordinal);
    if (member.status !== 'running') problems.push(problem(`The member ${name} is ${member.status}.`));
    else if (member.role === 'standby' && !member.in_sync)
      problems.push(problem(`The member ${name} is not in step with the primary.`));
  }
  if (members.length < cluster.instances)
    problems.push(problem(`${members.length} of ${cluster.instances} members are there.`));
  for (const kept of await keptJobs([cluster.id]))
    problems.push(
      remark(`The way back to ${engineTitles[cluster.engine]} ${kept.from_version} ends with this upgrade.`),
    );
  return checkOf(
    'cluster_health',
    problems,
    'All members serve and are in step.',
    problems.some(({ blocks }) => blocks)
      ? 'The cluster is not as it should be.'
      : 'All members serve and are in step, but:',
  );
}

/** The newest backup that was verified by reading it to its end. */
export const freshBackup = (clusterId: string): Promise<{ id: string; finished_at: Date } | undefined> =>
  queryOne(sql`SELECT id, finished_at FROM database_backups WHERE cluster_id = ${clusterId}::uuid AND status = 'available'
    AND verified_at IS NOT NULL AND finished_at > platform_now() - ${FRESH_MS}::float8 * interval '1 millisecond' ORDER BY finished_at DESC LIMIT 1`);

async function checkBackup({ id }: Cluster): Promise<Check> {
  const found = await freshBackup(id);
  const problems = found ? [] : [remark('There is no verified backup of the last 24 hours.')];
  const passed = found ? `The backup of ${new Date(found.finished_at).toISOString()} is verified.` : '';
  return checkOf('fresh_backup', problems, passed, 'The upgrade begins with a backup, and takes longer for it.');
}

type Room = { vcpus: number; memory_mb: number; disk_gb: number };

async function checkCapacity(cluster: Cluster, reserved: boolean): Promise<Check> {
  const problems: Problem[] = [];
  const one = memberRoom(cluster);
  const count = cluster.instances;
  const [free] =
    await query<Room>(sql`SELECT (vcpus_usable - vcpus_reserved)::int AS vcpus, (memory_mb_usable - memory_mb_reserved)::int AS memory_mb,
    (disk_gb_usable - disk_gb_reserved)::int AS disk_gb FROM cells WHERE id = ${cluster.cell_id}::text`);
  const wanted: [keyof Room, string][] = [
    ['vcpus', 'vCPUs'],
    ['memory_mb', 'MB of memory'],
    ['disk_gb', 'GB of disk'],
  ];
  if (!reserved)
    for (const [kind, words] of wanted) {
      const [needed, left] = [one[kind] * count, free?.[kind] ?? 0];
      if (needed > left)
        problems.push(problem(`The host has ${left} ${words} left, and the new members need ${needed}.`));
    }
  const used = (cluster.used_bytes ?? 0) / (cluster.storage_gb * 1024 ** 3);
  if (cluster.read_only || used > FULL)
    problems.push(
      problem(
        `${Math.round(used * 100)} % of the storage is in use, and an upgrade needs ${Math.round((1 - FULL) * 100)} % for the log that it keeps.`,
      ),
    );
  return checkOf(
    'capacity',
    problems,
    `There is room for ${count} more ${count === 1 ? 'member' : 'members'}.`,
    'There is no room for both versions at once.',
  );
}

async function checkContents(cluster: Cluster, target: string): Promise<Check> {
  const primary = primaryOf(servingMembers(cluster));
  const unreadable = (text: string) =>
    checkOf('compatibility', [problem(text)], '', 'The contents could not be checked.');
  if (!primary) return unreadable('The cluster has no primary.');
  try {
    return await upgradesOf(cluster).checkContents(cluster, primary, target);
  } catch (error) {
    return unreadable(
      isUnreachable(error)
        ? 'The primary ended, or did not answer. Start the upgrade again once the cluster is available.'
        : `They could not be read: ${reasonOf(error)}`,
    );
  }
}
