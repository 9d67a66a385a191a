import { expect } from 'vitest';
import type { DatabaseCluster, DatabaseClusterWithCredentials, DatabaseJob } from '@/lib/domains/databases/schema';
import { waitFor } from '@/lib/engines/local/turns';
import { startDatabaseWorld, type Written } from './database-world';
import { connectQdrantWriter } from './qdrant-connection';
import { connectValkey } from './valkey-connection';

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
/** A client that writes to a cluster, and finds out later what of it is there. */
type Writer = {
  startWriting(): Promise<unknown>;
  stopWriting(): Promise<Written>;
  lost(acknowledged: readonly string[]): Promise<string[]>;
  version(): Promise<string | undefined>;
  end(): void;
};

const connectValkeyWriter = async (world: World, cluster: DatabaseClusterWithCredentials) => {
  const client = await connectValkey(world, cluster);
  const version = async () => {
    const [info] = await client.run(['INFO', 'server']);
    return /valkey_version:([\d.]+)/.exec(String(info))?.[1];
  };
  return { ...client, version };
};

/** A cluster `cache` of Valkey 8.0, its upgrades, and a client that writes to it. */
export const startValkeyUpgrades = () => startFollowingUpgrades('valkey', '8.0', connectValkeyWriter);
/** The same of Qdrant 0.8. */
export const startQdrantUpgrades = () => startFollowingUpgrades('qdrant', '0.8', connectQdrantWriter);

/** Upgrades of an engine whose new members follow the present ones, in a world of their own. */
async function startFollowingUpgrades<Client extends Writer>(
  engine: 'valkey' | 'qdrant',
  from: string,
  connect: (world: World, cluster: DatabaseClusterWithCredentials) => Promise<Client>,
) {
  const world = await startDatabaseWorld(engine);
  const client = await world
    .create({ name: 'cache', version: from })
    .then((cluster) => connect(world, cluster))
    .catch(async (error) => {
      await world.stop();
      throw error;
    });

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
    throw new Error(JSON.stringify([job, await world.read('cache')], null, 1));
  }
  async function upgrade(target_version: string): Promise<DatabaseJob> {
    await world.untilIs('cache', 'available');
    // The agent may not have seen all members of a new cluster yet.
    const isRunning = async () => (await world.read('cache')).members.every(({ status }) => status === 'running');
    await waitFor(isRunning, { timeoutMs: 60_000, everyMs: 50 });
    const answer = await call('POST', `${world.paths('cache')}/upgrade`, { target_version });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body as DatabaseJob;
  }
  const rollBack = async (id: string) => (await call('POST', `/dbaas/jobs/${id}/rollback`)).status;
  const versions = async () =>
    ((await call('GET', world.paths('cache'))).body as DatabaseCluster).members.map((one) => one.version);

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

  return {
    world,
    client,
    call,
    jobOf,
    until,
    upgrade,
    rollBack,
    version: () => client.version(),
    versions,
    underWrites,
    async stop(): Promise<void> {
      client.end();
      await world.stop();
    },
  };
}
