import { sql } from '@/lib/core/db/sql';
import { deviceDelete } from '@/lib/core/devices/device';
import { withChildren } from '@/lib/core/operations/children';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
  type Step,
} from '@/lib/core/operations/steps';
import { ifAdmitted } from '@/lib/core/quota/commit';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow, rowInError } from '@/lib/core/resources/rows';
import { portsReleased } from '@/lib/domains/network/ports';
import { ensureWired } from '@/lib/domains/network/topology';
import { engineOf } from '@/lib/engines/engines';
import { reasonOf } from '@/lib/engines/error';
import { waitFor } from '@/lib/engines/local/turns';
import { forgetCertificates } from '@/lib/hosts/certificates/certificates';
import type { Settlement } from '@/lib/hosts/services/engine';
import { keepLastBackup } from '../backups/last-backup';
import { endpointStats, forgetEndpoint, settleEndpoint } from '../endpoint/endpoint';
import {
  createClusterKind,
  deleteClusterKind,
  deleteMemberKind,
  setPasswordKind,
  switchPrimaryKind,
  updateClusterKind,
} from '../operations';
import { type Cluster, type Member, primaryOf, readCluster, servingMembers } from './clusters';
import { driverOf, forget } from './drivers';
import { MemberError } from './member-error';
import { endpointFacts, endpointOf, endpointSpec } from './specs';
import { inTurn } from './turns';

export const TABLE = 'database_clusters';
export const AGAIN_MS = 100;

export const clusterOf = async ({ operation }: Step<unknown>): Promise<Cluster> => {
  const cluster = await readCluster(operation.resource_id);
  if (!cluster) throw new Error(`cluster ${operation.resource_id} is gone`);
  return cluster;
};

export async function ensureMembers(cell: string, cluster: Cluster, members: readonly Member[]): Promise<Settlement> {
  const { services } = engineOf(cell);
  const answers = await Promise.all(
    members.map(async (member) => services.ensureService(await driverOf(cluster).memberSpec(cluster, member))),
  );
  return answers.find(({ settled }) => !settled) ?? { settled: true };
}

const ensureEndpoint = async (cell: string, cluster: Cluster): Promise<Settlement> =>
  engineOf(cell).services.ensureService(await endpointSpec(cluster));

/** Sets roles and password on the primary, as soon as it takes statements. */
async function setRoles<const Next>(step: CellStep<unknown>, next: (cluster: Cluster) => Next) {
  const cluster = await clusterOf(step);
  const primary = primaryOf(servingMembers(cluster));
  if (!primary) return failure('The cluster has no primary.');
  try {
    await driverOf(cluster).settleRoles(cluster, primary);
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    return again(AGAIN_MS, { waits_for: 'the primary to answer' });
  }
  return next(cluster);
}

const available = (cluster: Cluster) => {
  const running = servingMembers(cluster).length;
  return changeRow(
    TABLE,
    cluster.id,
    sql`status = 'available', status_reason = NULL, running = ${running}::int, launched_at = coalesce(database_clusters.launched_at, platform_now())`,
  );
};

export const inError = async ({ operation }: Step<unknown>, reason: string) =>
  done({ rows: { failed: rowInError(TABLE, operation.resource_id, reason) } });

/** The cluster still serves as it did: its agent finds out how. */
const unchanged = async ({ operation }: Step<unknown>, reason: string) =>
  done({
    rows: {
      failed: changeRow(TABLE, operation.resource_id, sql`status = 'degraded', status_reason = ${reason}::text`),
    },
  });

/** Endpoint and members answer, and the standbys have everything. */
async function serve(step: CellStep<unknown>) {
  const cluster = await clusterOf(step);
  const answer = await ensureEndpoint(step.cell, cluster);
  if (!answer.settled) return again(answer.again_ms, { waits_for: answer.waits_for });
  const waits_for = await inTurn(cluster.id, () => driverOf(cluster).inStep(cluster));
  if (waits_for !== null) return again(AGAIN_MS, { waits_for });
  const stats = await endpointStats(endpointOf(cluster));
  if (!stats) return again(AGAIN_MS, { waits_for: 'the endpoint to answer' });
  await settleEndpoint(endpointOf(cluster), endpointFacts(cluster), stats, true);
  return done({ rows: { settled: available(cluster) } });
}

/** Failures of a switch in a row after which it is given up: until then, nothing has changed. */
const MOST_ATTEMPTS = 8;

/** Switches the primary, unless it has changed since `moves`; @returns what to log, or why it is given up */
async function switchOnce({ operation }: CellStep<unknown>, moves: number) {
  const id = operation.resource_id;
  const cluster = await readCluster(id);
  if (cluster?.moves !== moves) return 'The primary has changed already.';
  try {
    const { pause_ms } = await inTurn(id, () => driverOf(cluster).switchPrimary(id));
    return `New connections waited for ${pause_ms} ms.`;
  } catch (error) {
    if (operation.attempts + 1 >= MOST_ATTEMPTS) return failure(reasonOf(error));
    throw error;
  }
}

/** A cluster can be deleted though its data cannot be read. */
const MOST_LAST_BACKUPS = 2;

const removing = (members: readonly Member[], cell: string) =>
  Object.fromEntries(
    members.map(({ id, ordinal }) => [`member ${ordinal}`, deleteMemberKind.start(id, {}, { cell_id: cell })]),
  );

/** How long nothing else happens to a cluster whose primary starts with a larger disk. */
const ROOM_MS = 10_000;

/**
 * A primary whose disk is full, or that ended on it, brings no standby into step: it gets its room before them. It may have to stop
 * for that, and must not be replaced meanwhile: it is waited for, but not for long, because it may have other troubles.
 */
async function giveRoom(cell: string, cluster: Cluster): Promise<void> {
  const primary = primaryOf(servingMembers(cluster));
  if (!primary) return;
  if (!cluster.read_only && (await engineOf(cell).services.isHealthy(primary.id))) return;
  const serves = async () => (await ensureMembers(cell, cluster, [primary])).settled;
  await inTurn(cluster.id, () => waitFor(serves, { timeoutMs: ROOM_MS }));
}

/** A new cluster is launched: its primary, then the roles, the standbys, and the endpoint. */
export const launch = {
  primary: (step: CellStep<unknown>) =>
    throughEngine(
      step,
      TABLE,
      async () => {
        if (step.operation.project_id) await ensureWired(step.cell, step.operation.project_id);
        const cluster = await clusterOf(step);
        const primary = primaryOf(servingMembers(cluster));
        // The endpoint needs nothing of the members: it begins now, and is waited for later.
        const [started] = await Promise.all([
          ensureMembers(step.cell, cluster, primary ? [primary] : []),
          ensureEndpoint(step.cell, cluster),
        ]);
        return started;
      },
      () => goTo('roles'),
    ),
  roles: (step: CellStep<unknown>) =>
    setRoles(step, ({ roles_wanted }) =>
      goTo('members', {
        rows: { applied: changeRow(TABLE, step.operation.resource_id, sql`roles_applied = ${roles_wanted}::int`) },
      }),
    ),
  members: (step: CellStep<unknown>) =>
    throughEngine(
      step,
      TABLE,
      async () => {
        const cluster = await clusterOf(step);
        const endpoint = ensureEndpoint(step.cell, cluster);
        const standbys = servingMembers(cluster).filter(({ role }) => role === 'standby');
        const started = await ensureMembers(step.cell, cluster, standbys);
        return started.settled ? endpoint : started;
      },
      () => goTo('serve'),
    ),
  serve,
};

export const clusterSteps: OperationSteps[] = [
  operationSteps(
    createClusterKind,
    {
      ...launch,
    },
    { failed: inError, concurrency: 4 },
  ),
  operationSteps(
    setPasswordKind,
    {
      roles: (step) =>
        setRoles(step, (cluster) =>
          done({
            rows: {
              applied: changeRow(
                TABLE,
                cluster.id,
                sql`roles_applied = ${cluster.roles_wanted}::int, status = 'available', status_reason = NULL`,
              ),
            },
          }),
        ),
    },
    { failed: unchanged, concurrency: 4 },
  ),
  operationSteps(
    switchPrimaryKind,
    {
      async switch(step) {
        const paused = await switchOnce(step, step.input.moves);
        return typeof paused === 'object' ? paused : goTo('serve', { log: paused });
      },
      serve,
    },
    { failed: unchanged, concurrency: 4 },
  ),
  operationSteps(
    updateClusterKind,
    {
      // Standbys first, one after the other, while the primary serves; but none of them runs with fewer connections than it.
      members: (step) =>
        throughEngine(
          step,
          TABLE,
          async () => {
            const cluster = await clusterOf(step);
            if (step.operation.project_id) await ensureWired(step.cell, step.operation.project_id);
            await giveRoom(step.cell, cluster);
            await driverOf(cluster).primaryFirst?.(cluster);
            for (const member of servingMembers(cluster).filter(({ role }) => role === 'standby')) {
              const answer = await ensureMembers(step.cell, cluster, [member]);
              if (!answer.settled) return answer;
            }
            const waits_for = await inTurn(cluster.id, () => driverOf(cluster).inStep(cluster));
            return waits_for === null ? { settled: true } : { settled: false, waits_for, again_ms: AGAIN_MS };
          },
          () => goTo('switch'),
        ),
      async switch(step) {
        const cluster = await clusterOf(step);
        const members = servingMembers(cluster);
        const primary = primaryOf(members);
        if (!primary) return failure('The cluster has no primary.');
        if (members.length > 1 && step.input.restarts) {
          const paused = await switchOnce(step, step.input.moves);
          if (typeof paused === 'object') return paused;
          return goTo('former', { log: paused });
        }
        return goTo('former');
      },
      former: (step) =>
        throughEngine(
          step,
          TABLE,
          async () => {
            const cluster = await clusterOf(step);
            return ensureMembers(step.cell, cluster, servingMembers(cluster));
          },
          () => goTo('leaving'),
        ),
      async leaving(step) {
        const cluster = await clusterOf(step);
        const leaving = cluster.members.filter((member) => member.leaving);
        if (leaving.length === 0) return goTo('serve');
        return withChildren(
          step,
          { children: removing(leaving, step.cell), waits_for: 'members to be removed' },
          (ended) => {
            const lost = ended.find(({ status }) => status !== 'succeeded');
            return lost ? failure(`${lost.name}: ${lost.error}`) : goTo('serve');
          },
        );
      },
      serve,
    },
    { failed: unchanged, concurrency: 4 },
  ),
  operationSteps(
    deleteClusterKind,
    {
      async backup({ operation }) {
        const cluster = await readCluster(operation.resource_id);
        const primary = cluster && primaryOf(servingMembers(cluster));
        if (!cluster?.launched_at || !primary) return goTo('members');
        if (operation.attempts >= MOST_LAST_BACKUPS)
          return goTo('members', { log: 'There is no last backup: the data could not be read.' });
        const log = await keepLastBackup(cluster, primary);
        return log === null ? goTo('members') : goTo('members', { log });
      },
      async members(step) {
        const cluster = await readCluster(step.operation.resource_id);
        return withChildren(
          step,
          { children: removing(cluster?.members ?? [], step.cell), waits_for: 'its members' },
          (ended) => {
            const lost = ended.find(({ status }) => status !== 'succeeded');
            return lost ? failure(`${lost.name}: ${lost.error}`) : goTo('remove');
          },
        );
      },
      async remove({ operation, cell }) {
        const { resource_id: id, project_id } = operation;
        const cluster = await readCluster(id);
        if (cluster) await forgetEndpoint(endpointOf(cluster));
        await engineOf(cell).services.removeService(id);
        return done({
          rows: {
            ...portsReleased(id, project_id),
            certificates: forgetCertificates(id, ifAdmitted),
            cluster: sql`DELETE FROM database_clusters USING verdict WHERE verdict.ok AND database_clusters.id = ${id}::uuid`,
            device: deviceDelete(id),
          },
          release: true,
        });
      },
    },
    { failed: inError, concurrency: 4 },
  ),
  operationSteps(
    deleteMemberKind,
    {
      async remove({ operation, cell }) {
        const { resource_id: id, project_id } = operation;
        forget({ id });
        await engineOf(cell).services.removeService(id);
        return done({
          rows: {
            ...portsReleased(id, project_id),
            member: sql`DELETE FROM database_members USING verdict WHERE verdict.ok AND database_members.id = ${id}::uuid`,
            device: deviceDelete(id),
          },
          release: true,
        });
      },
    },
    { failed: async () => done(), concurrency: 4 },
  ),
];
