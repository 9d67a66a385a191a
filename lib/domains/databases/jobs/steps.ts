import { now } from '@/lib/clock';
import { sql } from '@/lib/core/db/sql';
import { withChildren } from '@/lib/core/operations/children';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
} from '@/lib/core/operations/steps';
import { changeRow } from '@/lib/core/resources/rows';
import { ensureWired } from '@/lib/domains/network/topology';
import { reasonOf } from '@/lib/engines/error';
import { backupOfUpgrade, takeBackup } from '../backups/take';
import { type Cluster, type Member, membersOf, primaryOf, readCluster } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { ensureMembers } from '../cluster/steps';
import { inTurn } from '../cluster/turns';
import { engineTitles } from '../engines';
import { deleteMemberKind } from '../operations';
import type { Work } from './engine';
import { endWayBackKind, rollBackKind, upgradeKind } from './operations';
import { freshBackup, runPreflight } from './preflight';
import { findJob, type JobChange, type JobRow, jobChange, keptJobs } from './rows';
import { isUnreachable, reasonOfUpgrade, UpgradeTrouble } from './trouble';
import { endpointOfUpgrade, upgradesOf, workOf } from './work';

const TABLE = 'database_clusters';
const AGAIN_MS = 200;
const LOOK_MS = 500;
/** Failures of a stage in a row before the upgrade is taken back. */
const MOST_ATTEMPTS = 4;
/** How long a member that was killed may take to recover before the way back is given up. */
const RECOVERS_MS = 120_000;
/** How often to ask, over about two minutes, whether a failed rollback can be tried again. */
const MOST_LOOKS = 7;
/** How long the former version is kept. */
const WAY_BACK_MS = 24 * 60 * 60_000;

type JobStep = CellStep<{ job_id: string }>;

const NOT_FOLLOWED = 'A member ended, or did not answer, before the former version followed the new one.';
const AS_ASKED = 'The former version was asked for.';
const noted = (step: JobStep, change: JobChange) => ({ job: jobChange(step.input.job_id, change) });
const served = (cluster: Pick<Cluster, 'id'>) =>
  changeRow(TABLE, cluster.id, sql`status = 'available', status_reason = NULL`);

/** A part of an upgrade: what can never succeed, or fails again and again, ends it. */
async function part<Result>(step: JobStep, run: (work: Work) => Promise<Result>) {
  try {
    const work = await workOf(step);
    if (work.job.rollback_wanted) return failure(AS_ASKED);
    return await run(work);
  } catch (error) {
    if (error instanceof UpgradeTrouble || step.operation.attempts >= MOST_ATTEMPTS)
      return failure(reasonOfUpgrade(error));
    throw error;
  }
}

/** Whether a stage failed because a member is down that may still come back. */
function mayRecover({ stage, transitions }: JobRow, error: unknown): boolean {
  const began = transitions.findLast((one) => one.stage === stage)?.at;
  return isUnreachable(error) && now().getTime() - Date.parse(began ?? '') < RECOVERS_MS;
}

const removing = (members: readonly Member[], cell: string) =>
  Object.fromEntries(
    members.map(({ id, ordinal }) => [`member ${ordinal}`, deleteMemberKind.start(id, {}, { cell_id: cell })]),
  );

/** Ends the way back of earlier upgrades: their former members would be in the way of this one. */
async function endEarlier(step: JobStep, cluster: Cluster) {
  const kept = (await keptJobs([cluster.id])).filter(({ id }) => id !== step.input.job_id);
  if (kept.length === 0) return null;
  const serving = primaryOf(membersOf(cluster, cluster.serving_group));
  if (serving) await upgradesOf(cluster).forget(cluster, serving);
  const members = kept.flatMap(({ former_group }) => membersOf(cluster, former_group));
  const ended = Object.fromEntries(
    kept.map(({ id }, index) => [
      `kept${index}`,
      jobChange(id, { rollback_until: null, rollback_ended: 'A later upgrade began.' }),
    ]),
  );
  return withChildren(step, { children: removing(members, step.cell), waits_for: 'former members to be removed' }, () =>
    again(0, { rows: ended }),
  );
}

const upgradeSteps = operationSteps(
  upgradeKind,
  {
    pending: async (step) => goTo('preflight', { rows: noted(step, { stage: 'preflight', progress: 1 }) }),
    preflight: (step) =>
      part(step, async ({ job, cluster }) => {
        const earlier = await endEarlier(step, cluster);
        if (earlier) return earlier;
        const { checks } = await runPreflight(cluster, job.from_version, job.target_version, true);
        const failed = checks.find(({ status }) => status === 'failed');
        if (failed) return failure(`${failed.id}: ${[failed.message, ...failed.details].join(' ')}`);
        const log = checks.map(({ id, message }) => `${id}: ${message}`);
        return goTo('backup', { rows: noted(step, { stage: 'backup', progress: 5, log }) });
      }),
    backup: (step) =>
      part(step, async ({ job, cluster, former }) => {
        const fresh = await freshBackup(cluster.id);
        const next = (log: string) =>
          goTo('provisioning', { rows: noted(step, { stage: 'provisioning', progress: 15, log }) });
        if (fresh) return next(`The backup of ${new Date(fresh.finished_at).toISOString()} is fresh.`);
        const id = await backupOfUpgrade(cluster.id, job.created_at);
        const bytes = await takeBackup(cluster, former, 'before_upgrade', id);
        return next(`A backup of ${bytes} bytes was made and read to its end.`);
      }),
    provisioning: (step) =>
      part(step, async (work) => {
        const { job, cluster, next } = work;
        if (step.operation.project_id) await ensureWired(step.cell, step.operation.project_id);
        const primary = await ensureMembers(step.cell, cluster, [next]);
        if (!primary.settled) return again(primary.again_ms, { waits_for: primary.waits_for });
        const engine = upgradesOf(cluster);
        const settling = await engine.settleNext(work).catch((error) => {
          if (error instanceof MemberError) return 'the new primary to answer';
          throw error;
        });
        if (settling !== null) return again(AGAIN_MS, { waits_for: settling });
        const standbys = membersOf(cluster, job.next_group).filter(({ role }) => role === 'standby');
        // One after the other: they copy from the new primary, and a group of MariaDB holds writes up for each that joins.
        for (const standby of standbys) {
          const started = await ensureMembers(step.cell, cluster, [standby]);
          if (!started.settled) return again(started.again_ms, { waits_for: started.waits_for });
        }
        const waits_for = await engine.nextInStep(work);
        if (waits_for !== null) return again(AGAIN_MS, { waits_for });
        const title = `${engineTitles[cluster.engine]} ${job.target_version}`;
        const log =
          standbys.length === 0 ? `A member of ${title} runs.` : `${standbys.length + 1} members of ${title} run.`;
        return goTo('replicating', { rows: noted(step, { stage: 'replicating', progress: 25, log }) });
      }),
    replicating: (step) => part(step, (work) => replicate(step, work)),
    switching_over: (step) => part(step, (work) => switchOver(step, work)),
    async verifying(step) {
      const work = await workOf(step);
      const { job, cluster } = work;
      const engine = upgradesOf(cluster);
      let lost: string | null = null;
      try {
        await engine.keepFormer(work);
      } catch (error) {
        // Clients are served by the new version, and it stays: only the way back is missing.
        const isLast = !mayRecover(job, error) && step.operation.attempts >= MOST_ATTEMPTS;
        if (!(error instanceof UpgradeTrouble) && !isLast) throw error;
        lost = isUnreachable(error) ? NOT_FOLLOWED : reasonOf(error);
      }
      if (job.rollback_wanted && lost === null) return failure(AS_ASKED);
      engine.ended(job.id);
      const at = now();
      return done({
        rows: {
          ...noted(step, {
            stage: 'completed',
            progress: 100,
            finished_at: at,
            rollback_until: new Date(at.getTime() + (lost === null ? WAY_BACK_MS : 0)),
            rollback_ended: lost,
            log: lost === null ? 'The former version follows the new one.' : `There is no way back: ${lost}`,
          }),
          cluster: served(cluster),
        },
      });
    },
  },
  { failed: (step, reason) => takenBack(step, reason), concurrency: 4 },
);

async function replicate(step: JobStep, work: Work) {
  const { isDone, waits_for, change } = await upgradesOf(work.cluster).replicate(work);
  if (isDone)
    return goTo('switching_over', { rows: noted(step, { stage: 'switching_over', progress: 85, ...change }) });
  const rows = change && { rows: noted(step, change) };
  return waits_for === undefined ? again(0, { ...rows }) : again(LOOK_MS, { waits_for, ...rows });
}

async function switchOver(step: JobStep, work: Work) {
  const { job, cluster } = work;
  const engine = upgradesOf(cluster);
  const next = (change: JobChange) =>
    goTo('verifying', { rows: noted(step, { stage: 'verifying', progress: 95, switching: false, ...change }) });
  // A worker before this one came to the decision, and no further.
  if (cluster.serving_group === job.next_group) return next({ log: 'The new version serves.' });
  if (!job.switching) return again(0, { rows: noted(step, { switching: true }) });
  const waits_for = await engine.nextInStep(work);
  if (waits_for !== null) return again(AGAIN_MS, { waits_for });
  const parts: string[] = [];
  const onPart = (name: string, ms: number) => parts.push(`${name} ${Math.round(ms)}`);
  const { pauseMs, interrupted } = await inTurn(cluster.id, async () => {
    const endpoint = endpointOfUpgrade(work);
    // What a worker that was killed in the middle has left.
    await engine.takeBackSwitch(work, endpoint);
    return engine.switchToNext(work, endpoint, onPart);
  });
  return next({
    pause_ms: pauseMs,
    failed_connections: interrupted,
    log: [`New connections waited for ${pauseMs} ms.`, `Parts in milliseconds from the hold: ${parts.join(', ')}.`],
  });
}

/** Everything is as it was before the upgrade; also after the switch, with what was written since. */
async function takenBack(step: JobStep, reason: string) {
  const job = await findJob(step.input.job_id);
  const cluster = await readCluster(step.operation.resource_id);
  if (!job || !cluster) return done();
  if (job.stage !== 'rolling_back') {
    const level = reason === AS_ASKED ? 'info' : 'error';
    return again(0, { rows: noted(step, { stage: 'rolling_back', error: reason, log: reason, level }) });
  }
  if (cluster.serving_group === job.next_group) return back(step, await workOf(step));
  if (job.switching) {
    const work = await workOf(step);
    await inTurn(cluster.id, () => upgradesOf(cluster).takeBackSwitch(work, endpointOfUpgrade(work)));
    return again(0, { rows: noted(step, { switching: false, log: 'The switch is taken back.' }) });
  }
  return removed(step, job, cluster);
}

/** The switch back, once the former side is close. */
async function back(step: JobStep, work: Work) {
  const { cluster } = work;
  const engine = upgradesOf(cluster);
  try {
    const { isNear } = await engine.prepareWayBack(work);
    if (!isNear) return again(LOOK_MS, { waits_for: 'the former version to catch up' });
    const { pauseMs } = await inTurn(cluster.id, async () => {
      const endpoint = endpointOfUpgrade(work);
      if (work.job.switching) await engine.takeBackSwitchBack(work, endpoint);
      return engine.switchBack(work, endpoint);
    });
    return again(0, {
      rows: noted(step, {
        switching: false,
        rollback_pause_ms: pauseMs,
        log: `The former version serves again; new connections waited for ${pauseMs} ms.`,
      }),
    });
  } catch (error) {
    if (!(error instanceof UpgradeTrouble)) throw error;
    const ended = {
      stage: 'completed',
      progress: 100,
      finished_at: now(),
      rollback_until: now(),
      rollback_ended: error.message,
      log: error.message,
      level: 'error',
    } as const;
    return done({ rows: { ...noted(step, ended), cluster: served(cluster) } });
  }
}

/** Removes the new members and what the upgrade left on the former ones. */
async function removed(step: JobStep, job: JobRow, cluster: Cluster) {
  const engine = upgradesOf(cluster);
  engine.ended(job.id);
  const former = primaryOf(membersOf(cluster, job.former_group));
  if (former) await engine.forget(cluster, former);
  const children = removing(membersOf(cluster, job.next_group), step.cell);
  return withChildren(step, { children, waits_for: 'the new members to be removed' }, () => finished(step, cluster));
}

const finished = (step: JobStep, cluster: Cluster) =>
  done({
    rows: {
      ...noted(step, {
        stage: 'rolled_back',
        finished_at: now(),
        rollback_until: null,
        log: 'The former version serves, and the new members are removed.',
      }),
      cluster: served(cluster),
    },
  });

const rollBackSteps = operationSteps(
  rollBackKind,
  {
    preparing: (step) =>
      later(step, async (work) => {
        const { isNear } = await upgradesOf(work.cluster).prepareWayBack(work);
        if (!isNear) return again(LOOK_MS, { waits_for: 'the former version to catch up' });
        return goTo('switching_back', { rows: noted(step, { switching: true }) });
      }),
    switching_back: (step) =>
      later(step, async (work) => {
        const { job, cluster } = work;
        const engine = upgradesOf(cluster);
        if (cluster.serving_group === job.former_group) {
          // A worker before this one came to the decision, and no further.
          await inTurn(cluster.id, () => endpointOfUpgrade(work).release());
          return goTo('removing');
        }
        const { pauseMs } = await inTurn(cluster.id, async () => {
          const endpoint = endpointOfUpgrade(work);
          await engine.takeBackSwitchBack(work, endpoint);
          return engine.switchBack(work, endpoint);
        });
        const log = `The former version serves again; new connections waited for ${pauseMs} ms.`;
        return goTo('removing', { rows: noted(step, { switching: false, rollback_pause_ms: pauseMs, log }) });
      }),
    async removing(step) {
      const job = await findJob(step.input.job_id);
      const cluster = await readCluster(step.operation.resource_id);
      return job && cluster ? removed(step, job, cluster) : done();
    },
  },
  {
    // The new version goes on to serve, and the way back stays if there is one.
    async failed(step, reason) {
      const cluster = await readCluster(step.operation.resource_id);
      const change: JobChange = {
        ...(cluster ? await afterFailure(step) : {}),
        stage: 'completed',
        switching: false,
        finished_at: now(),
        error: reason,
        log: reason,
        level: 'error',
      };
      return done({ rows: { ...noted(step, change), ...(cluster ? { cluster: served(cluster) } : {}) } });
    },
    concurrency: 4,
  },
);

/** Makes the new version serve as before a way back that failed. @returns that there is no way back any more, if so */
async function afterFailure(step: JobStep): Promise<JobChange> {
  try {
    const work = await workOf(step);
    const { job, cluster } = work;
    if (cluster.serving_group !== job.next_group) return {};
    if (job.switching) await undoSwitchBack(work);
    const found = await upgradesOf(cluster).wayBack(work);
    return found.possible ? {} : { rollback_ended: found.reason };
  } catch (error) {
    // A fail-over takes seconds. Later, whoever looks after ways back finds what became of this one.
    if (step.operation.attempts < MOST_LOOKS) throw error;
    return {};
  }
}

const undoSwitchBack = (work: Work): Promise<void> =>
  inTurn(work.cluster.id, () => upgradesOf(work.cluster).takeBackSwitchBack(work, endpointOfUpgrade(work)));

/** A part of the way back after an upgrade. Clients are served meanwhile: a member may take its time to recover. */
async function later<Result>(step: JobStep, run: (work: Work) => Promise<Result>) {
  let job: JobRow | undefined;
  try {
    const work = await workOf(step);
    job = work.job;
    return await run(work);
  } catch (error) {
    const isLast = step.operation.attempts >= MOST_ATTEMPTS && !(job && mayRecover(job, error));
    if (error instanceof UpgradeTrouble || isLast) return failure(reasonOfUpgrade(error));
    throw error;
  }
}

const endWayBackSteps = operationSteps(
  endWayBackKind,
  {
    async forgetting(step) {
      const { cluster, job, next } = await workOf(step);
      if (cluster.serving_group === job.next_group) await upgradesOf(cluster).forget(cluster, next);
      return goTo('removing');
    },
    async removing(step) {
      const ended = { rows: noted(step, { rollback_until: null }) };
      const job = await findJob(step.input.job_id);
      const cluster = await readCluster(step.operation.resource_id);
      const members = job && cluster ? membersOf(cluster, job.former_group) : [];
      return withChildren(
        step,
        { children: removing(members, step.cell), waits_for: 'the former members to be removed' },
        () => done(ended),
      );
    },
  },
  { failed: async () => done(), concurrency: 4 },
);

export const upgradeOperationSteps: OperationSteps[] = [upgradeSteps, rollBackSteps, endWayBackSteps];
