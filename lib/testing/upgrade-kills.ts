import { expect, vi } from 'vitest';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DatabaseClusterWithCredentials, type DatabaseJob, upgradeStages } from '@/lib/domains/databases/schema';
import { waitFor } from '@/lib/engines/local/turns';
import { startDatabaseWorld } from './database-world';
import { type Upgraded, upgradeWriters, type Writer } from './upgrade-writers';

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Cluster = DatabaseClusterWithCredentials;
type Subject = { cluster: Cluster; client: Writer };

/** What is killed, with SIGKILL: the process of worker and agent, or a primary of either version. */
export type Victim = 'worker' | 'former primary' | 'next primary';

/** The stages in which something can be killed, without the way back. */
export const killedStages = upgradeStages.filter((stage) => stage !== 'pending' && stage !== 'completed');
export type KilledStage = (typeof killedStages)[number] | 'rolling_back';

/** The last lines of all members are shown where clients waited for longer than this. */
const LONGEST_GAP_MS = 3_000;

type Progress = { stage: string; switching: boolean; progress: number };

/** The engine in which no standby is waited for: it may lose what its primary had not sent. In Qdrant no other member takes over. */
const notSynchronous: Upgraded = 'valkey';

/** A cluster of an older version whose worker and agent can be killed, and a client that writes to it. */
export async function startKilledUpgrades(engine: Upgraded, from: string, storageGb: number) {
  const isSynchronous = engine !== notSynchronous;
  const world = await startDatabaseWorld(engine, { isApart: true });
  const begin = async (): Promise<Subject> => {
    const cluster = await world.create({ name: 'orders', version: from, storage_gb: storageGb });
    return { cluster, client: await upgradeWriters[engine](world, cluster) };
  };
  let subject = await begin();
  return {
    async killAt(stage: KilledStage, victim: Victim, versions: readonly [string, string]): Promise<DatabaseJob> {
      // A case before this one may have ended without a way back.
      if ((await world.read(subject.cluster.name)).version !== versions[0]) {
        subject.client.end();
        await world.call('DELETE', world.paths(subject.cluster.name), world.as);
        const isGone = async () =>
          (await world.call('GET', world.paths(subject.cluster.name), world.as)).status === 404;
        await waitFor(isGone, { timeoutMs: 60_000, everyMs: 100 });
        subject = await begin();
      }
      return killedUpgrades(world, subject, isSynchronous).killAt(stage, victim, versions);
    },
    async stop(): Promise<void> {
      subject.client.end();
      await world.stop();
    },
  };
}

/** Upgrades of one cluster under writes, in which something is killed at a stage. */
function killedUpgrades(world: World, { cluster, client }: Subject, isSynchronous: boolean) {
  const { name } = cluster;
  const progressOf = (id: string) =>
    queryOne<Progress>(sql`SELECT stage, switching, progress FROM database_jobs WHERE id = ${id}::uuid`);
  const jobOf = async (id: string) => (await world.call('GET', `/dbaas/jobs/${id}`, world.as)).body as DatabaseJob;
  const isThere = (found: Progress | undefined, stage: string) =>
    found?.stage === stage && (stage !== 'switching_over' || found.switching);

  async function until(id: string, stages: readonly string[], timeoutMs: number): Promise<string> {
    const found = await waitFor(
      async () => {
        const now = await progressOf(id);
        return stages.some((stage) => isThere(now, stage)) ? (now?.stage ?? false) : false;
      },
      { timeoutMs, everyMs: 3 },
    );
    if (!found) throw new Error(JSON.stringify(await jobOf(id), null, 1));
    return (await progressOf(id))?.stage ?? '';
  }

  async function primaryOf(id: string, which: 'former_group' | 'next_group'): Promise<string> {
    const row = await queryOne<{
      id: string;
    }>(sql`SELECT m.id FROM database_members m JOIN database_jobs j ON j.cluster_id = m.cluster_id
      WHERE j.id = ${id}::uuid AND m.role = 'primary' AND m.group_no = CASE WHEN ${which}::text = 'next_group' THEN j.next_group ELSE j.former_group END`);
    if (!row) throw new Error(`no primary of the ${which}`);
    return row.id;
  }

  /** @returns when */
  async function kill(id: string, victim: Victim): Promise<string> {
    const at = new Date().toISOString();
    if (victim === 'worker') await world.killWorker();
    else
      await world.signalTo(await primaryOf(id, victim === 'former primary' ? 'former_group' : 'next_group'), 'SIGKILL');
    return at;
  }

  /** The last lines of each member, to see why clients waited or the way back was lost. */
  async function showLogs(): Promise<void> {
    for (const { id, ordinal } of await world.members(cluster)) {
      console.info([`member ${ordinal}`, ...(await world.lastLines(id, 150))].join('\n'));
    }
  }

  /** A job that ends leaves the cluster available, before the agent has seen a member that is still copied. */
  async function isHealthy(): Promise<void> {
    const healthy = vi.waitFor(
      async () => {
        const { status, status_reason, members } = await world.read(name);
        const missing = members.filter((member) => member.status !== 'running');
        expect([status, status_reason, missing]).toEqual(['available', null, []]);
      },
      { timeout: 180_000, interval: 100 },
    );
    await healthy.catch(async (error) => {
      await showLogs();
      throw error;
    });
  }

  /**
   * Clients find everything that was acknowledged, but for `mayBeLost` writes, and can write.
   * @returns what was found
   */
  async function isWhole(acknowledged: readonly string[], version: string, mayBeLost = 0): Promise<string[]> {
    await isHealthy();
    expect(await client.version()).toMatch(new RegExp(`^${version}\\.`));
    const lost = new Set(await client.lost(acknowledged));
    if (lost.size > 0) console.info(`lost: ${lost.size} of ${acknowledged.length}, of which ${mayBeLost} may be`);
    expect(lost.size).toBeLessThanOrEqual(mayBeLost);
    const after = await world.read(name);
    expect([after.version, after.status_reason]).toEqual([version, null]);
    return acknowledged.filter((one) => !lost.has(one));
  }

  const ENDS = ['completed', 'rolled_back', 'failed'];

  return {
    /** @returns the job as it ended, after its way back where it was completed and has one */
    async killAt(stage: KilledStage, victim: Victim, [from, to]: readonly [string, string]) {
      await isHealthy();
      await client.startWriting(2);
      const began = performance.now();
      let killed_at: string | undefined;
      const path = `${world.paths(name)}/upgrade`;
      // On a busy machine, a member may be seen as missing for a moment.
      const { id } = await vi.waitFor(
        async () => {
          const answer = await world.call('POST', path, { ...world.as, body: { target_version: to } });
          expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
          return answer.body as DatabaseJob;
        },
        { timeout: 60_000, interval: 200 },
      );
      if (stage !== 'rolling_back') {
        expect(await until(id, [stage, ...ENDS], 300_000)).toBe(stage);
        killed_at = await kill(id, victim);
      }
      const end = await until(id, ENDS, 400_000);
      const there = await client.stopWriting();
      // Where standbys follow without being waited for, a primary that is killed takes along what it had not sent: less than a second's.
      const perSecond = Math.ceil(there.acknowledged.length / ((performance.now() - began) / 1_000));
      const mayBeLost = isSynchronous || victim === 'worker' ? 0 : perSecond;
      expect(end).not.toBe('failed');
      const kept = await isWhole(
        there.acknowledged,
        end === 'completed' ? to : from,
        stage === 'rolling_back' ? 0 : mayBeLost,
      );
      const job = await jobOf(id);
      const { acknowledged, ...figures } = there;
      console.info(`${victim} killed at ${stage}: ${end}`, {
        killed_at,
        ...figures,
        acknowledged: acknowledged.length,
        pause_ms: job.pause_ms,
        error: job.error,
        no_way_back: job.rollback.reason,
      });
      if (!job.rollback.possible || figures.gap_ms > LONGEST_GAP_MS) await showLogs();
      if (end === 'rolled_back' || !job.rollback.possible) return job;
      await client.startWriting(2);
      expect((await world.call('POST', `/dbaas/jobs/${id}/rollback`, world.as)).status).toBe(202);
      if (stage === 'rolling_back') {
        await until(id, ['rolling_back'], 60_000);
        killed_at = await kill(id, victim);
      }
      const back = await until(id, ENDS, 400_000);
      const here = await client.stopWriting();
      console.info('on the way back', { killed_at, ...here, acknowledged: here.acknowledged.length });
      if (here.gap_ms > LONGEST_GAP_MS) await showLogs();
      expect(here.acknowledged.length).toBeGreaterThan(0);
      const allowed = stage === 'rolling_back' ? mayBeLost : 0;
      await isWhole([...kept, ...here.acknowledged], back === 'rolled_back' ? from : to, allowed);
      const last = await jobOf(id);
      // A fail-over of the new version ends the way back; it must not end for anything else.
      if (victim !== 'next primary') expect(back).toBe('rolled_back');
      return last;
    },
  };
}
