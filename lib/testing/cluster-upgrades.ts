import { expect } from 'vitest';
import type { DatabaseCluster, DatabaseClusterWithCredentials, DatabaseJob } from '@/lib/domains/databases/schema';
import { waitFor } from '@/lib/engines/local/turns';
import { startDatabaseWorld, type Written } from './database-world';
import type { Upgraded, Writer } from './upgrade-writers';

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;

/** The upgrades of one cluster by the API, and a client that writes to it meanwhile. */
export function clusterUpgrades(
  world: World,
  name: string,
  client: Pick<Writer, 'startWriting' | 'stopWriting' | 'lost'>,
) {
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    world.call(method, path, { ...world.as, ...(body && { body }) });
  const jobOf = async (id: string) => (await call('GET', `/dbaas/jobs/${id}`)).body as DatabaseJob;
  async function until(id: string, stage: string): Promise<DatabaseJob> {
    await waitFor(async () => ['completed', 'rolled_back', 'failed', stage].includes((await jobOf(id)).stage), {
      timeoutMs: 300_000,
      everyMs: 50,
    });
    const job = await jobOf(id);
    if (job.stage === stage) return job;
    const cluster = await world.read(name);
    throw new Error(JSON.stringify([job, await world.stages(cluster), cluster], null, 1));
  }
  async function upgrade(target_version: string): Promise<DatabaseJob> {
    await world.untilIs(name, 'available');
    // The agent may not have seen all members of a new cluster yet.
    const isRunning = async () => (await world.read(name)).members.every(({ status }) => status === 'running');
    await waitFor(isRunning, { timeoutMs: 60_000, everyMs: 50 });
    const answer = await call('POST', `${world.paths(name)}/upgrade`, { target_version });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as DatabaseJob;
  }
  const rollBack = async (id: string) => (await call('POST', `/dbaas/jobs/${id}/rollback`)).status;
  const versions = async () =>
    ((await call('GET', world.paths(name))).body as DatabaseCluster).members.map((one) => one.version);

  /** Writes while something happens. @returns what was acknowledged, all of which is there */
  async function underWrites(happens: () => Promise<void>): Promise<Written> {
    await client.startWriting();
    await happens();
    const { acknowledged, ...figures } = await client.stopWriting();
    const lost = await client.lost(acknowledged);
    console.info(expect.getState().currentTestName, {
      ...figures,
      acknowledged: acknowledged.length,
      lost: lost.length,
    });
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
    return { acknowledged, ...figures };
  }

  return { call, jobOf, until, upgrade, rollBack, versions, underWrites };
}

/** A cluster in a world of its own, its upgrades, and a client that writes to it. */
export async function startClusterUpgrades<Client extends Writer>(
  engine: Upgraded,
  connect: (world: World, cluster: DatabaseClusterWithCredentials) => Promise<Client>,
  body: { name: string; version: string | undefined; storage_gb?: number },
) {
  const world = await startDatabaseWorld(engine);
  const client = await world
    .create(body)
    .then((cluster) => connect(world, cluster))
    .catch(async (error) => {
      await world.stop();
      throw error;
    });
  return {
    world,
    client,
    ...clusterUpgrades(world, body.name, client),
    async stop(): Promise<void> {
      client.end();
      await world.stop();
    },
  };
}
