import { expect, vi } from 'vitest';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DatabaseClusterWithCredentials, type DatabaseJob, upgradeStages } from '@/lib/domains/databases/schema';
import { waitFor } from '@/lib/engines/local/turns';
import { startDatabaseWorld, type Written } from './database-world';
import { connectQdrantWriter } from './qdrant-connection';
import { connectValkey } from './valkey-connection';

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Cluster = DatabaseClusterWithCredentials;
/** A client that writes, each row or key once, and finds out later what is there. */
type Writer = {
  startWriting(writers: number): Promise<unknown>;
  stopWriting(): Promise<Written>;
  lost(acknowledged: readonly string[]): Promise<string[]>;
  version(): Promise<string>;
  end(): void;
};
type Subject = { cluster: Cluster; client: Writer };

/** What is killed, with SIGKILL: the process of worker and agent, or a primary of either version. */
export type Victim = 'worker' | 'former primary' | 'next primary';

/** The stages in which something can be killed, without the way back. */
export const killedStages = upgradeStages.filter((stage) => stage !== 'pending' && stage !== 'completed');
export type KilledStage = (typeof killedStages)[number] | 'rolling_back';

/** The last lines of all members are shown where clients waited for longer than this. */
const LONGEST_GAP_MS = 3_000;

type Progress = { stage: string; switching: boolean; progress: number };

const sqlWriter =
  (statement: string) =>
  async (world: World, cluster: Cluster): Promise<Writer> => {
    const client = await world.connect(cluster);
    await client.run(['CREATE TABLE written (value varchar(100) PRIMARY KEY)']);
    return { ...client, version: async () => String((await client.run([statement]))[0]?.rows?.[0]?.server_version) };
  };

async function valkeyWriter(world: World, cluster: Cluster): Promise<Writer> {
  const client = await connectValkey(world, cluster);
  const version = async () => /valkey_version:(\S+)/.exec(String(await client.run(['INFO', 'server'])))?.[1] ?? '';
  return { ...client, version };
}

/** Of each engine whose clusters are upgraded: how it is written to, and whether a primary that is killed loses nothing. */
const engines = {
  postgres: { connect: sqlWriter('SHOW server_version'), isSynchronous: true },
  mysql: { connect: sqlWriter('SELECT version() AS server_version'), isSynchronous: true },
  valkey: { connect: valkeyWriter, isSynchronous: false },
  // No other member takes over: the one that is killed begins again on its data.
  qdrant: { connect: connectQdrantWriter, isSynchronous: true },
} as const;
export type Upgraded = keyof typeof engines;

/** A cluster of an older version whose worker and agent can be killed, and a client that writes to it. */
export async function startKilledUpgrades(engine: Upgraded, from: string, storageGb: number) {
  const { connect, isSynchronous } = engines[engine];
  const world = await startDatabaseWorld(engine, { isApart: true });
  const begin = async (): Promise<Subject> => {
    const cluster = await world.create({ name: 'orders', version: from, storage_gb: storageGb });
    return { cluster, client: await connect(world, cluster) };
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

  async function kill(id: string, victim: Victim): Promise<void> {
    if (victim === 'worker') return world.killWorker();
    await world.signalTo(await primaryOf(id, victim === 'former primary' ? 'former_group' : 'next_group'), 'SIGKILL');
  }

  /** The last lines of each member, to see why clients waited or the way back was lost. */
  async function showLogs(): Promise<void> {
    for (const { id, ordinal } of await world.members(cluster)) {
      const { lines } = await world.services.readLog(id, null, 1000);
      const text = lines.slice(-80).map(({ message }) => message);
      console.info([`member ${ordinal}`, ...text].join('\n'));
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
      const path = `${world.paths(name)}/upgrade`;
      const answer = await world.call('POST', path, { ...world.as, body: { target_version: to } });
      expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
      const { id } = answer.body as DatabaseJob;
      if (stage !== 'rolling_back') {
        expect(await until(id, [stage, ...ENDS], 300_000)).toBe(stage);
        await kill(id, victim);
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
        await kill(id, victim);
      }
      const back = await until(id, ENDS, 400_000);
      const here = await client.stopWriting();
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
