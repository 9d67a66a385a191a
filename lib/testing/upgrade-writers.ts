import { expect } from 'vitest';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import type { startDatabaseWorld, Written } from './database-world';
import { connectQdrantWriter } from './qdrant-connection';
import { connectValkey } from './valkey-connection';

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Cluster = DatabaseClusterWithCredentials;

/** A client that writes, each row or key once, and finds out later what is there. */
export type Writer = {
  startWriting(writers?: number): Promise<unknown>;
  stopWriting(): Promise<Written>;
  lost(acknowledged: readonly string[]): Promise<string[]>;
  version(): Promise<string>;
  end(): void;
};

const sqlWriter =
  (statement: string) =>
  async (world: World, cluster: Cluster): Promise<Writer> => {
    const client = await world.connect(cluster);
    const [made] = await client.run(['CREATE TABLE written (value varchar(100) PRIMARY KEY)']);
    expect(made).toEqual({ rows: [] });
    return { ...client, version: async () => String((await client.run([statement]))[0]?.rows?.[0]?.server_version) };
  };

export async function valkeyWriter(world: World, cluster: Cluster) {
  const client = await connectValkey(world, cluster);
  const version = async () => /valkey_version:(\S+)/.exec(String(await client.run(['INFO', 'server'])))?.[1] ?? '';
  return { ...client, version };
}

/** How each engine whose clusters are upgraded is written to. */
export const upgradeWriters = {
  postgres: sqlWriter('SHOW server_version'),
  mysql: sqlWriter('SELECT version() AS server_version'),
  valkey: valkeyWriter,
  qdrant: connectQdrantWriter,
} as const satisfies Record<string, (world: World, cluster: Cluster) => Promise<Writer>>;
export type Upgraded = keyof typeof upgradeWriters;
