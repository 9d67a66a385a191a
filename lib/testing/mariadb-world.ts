import { expect, vi } from 'vitest';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import { startDatabaseWorld, type Written } from './database-world';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A world with a cluster `orders` of MariaDB, and a client of a tenant's that has made its table. */
export async function startMariadbWorld(body: object = {}) {
  const world = await startDatabaseWorld('mysql');
  let client: Awaited<ReturnType<typeof world.connect>> | undefined;
  const stop = async () => {
    client?.end();
    await world.stop();
  };
  try {
    const began = performance.now();
    const cluster = await world.create({ name: 'orders', ...body });
    console.info(`created in ${Math.round(performance.now() - began)} ms`, await world.stages(cluster));
    client = await world.connect(cluster);
    const [made] = await client.run(['CREATE TABLE written (value varchar(100) PRIMARY KEY)']);
    expect(made).toEqual({ rows: [] });
    return { world, cluster, client, stop, ...watched(world, cluster, client) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;

function watched(world: World, cluster: DatabaseClusterWithCredentials, client: Awaited<ReturnType<World['connect']>>) {
  return {
    /** Writes while something happens, and what became of it. */
    async underWrites(happens: () => Promise<void>, afterwards_ms = 1_000): Promise<Written & { lost: string[] }> {
      await world.untilIs('orders', 'available');
      await client.startWriting();
      await pause(1_000);
      await happens();
      await pause(afterwards_ms);
      const written = await client.stopWriting();
      const lost = await client.lost(written.acknowledged);
      const { acknowledged, ...figures } = written;
      const counts = { acknowledged: acknowledged.length, lost: lost.length };
      console.info(expect.getState().currentTestName, { ...figures, ...counts });
      return { ...written, lost };
    },
    untilAnother: (id: string) =>
      vi.waitFor(async () => expect((await world.member(cluster, 'primary')).id).not.toBe(id), {
        timeout: 60_000,
        interval: 20,
      }),
  };
}
