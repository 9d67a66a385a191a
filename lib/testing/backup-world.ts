import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { baseKey } from '@/lib/domains/databases/backups/store';
import { keepBackups } from '@/lib/domains/databases/backups/work';
import type { DatabaseEngine } from '@/lib/domains/databases/engines';
import type { Backup, DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import { ownCell, settings } from '@/lib/settings';
import { startDatabaseWorld } from './database-world';

const until = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 180_000, interval: 200 });

export type BackupWorld = Awaited<ReturnType<typeof startBackupWorld>>;

/** A world with a cluster that is backed up and restored, as every engine promises it. */
export async function startBackupWorld(
  engine: DatabaseEngine,
  body: { name: string; version?: string; ram_gb?: number },
) {
  const world = await startDatabaseWorld(engine);
  const cluster = await world.create(body).catch(async (error) => {
    await world.stop();
    throw error;
  });
  const own = (path: string) => `${world.paths(body.name)}${path}`;
  const backups = async () => (await world.call('GET', '/dbaas/backups', world.as)).body as Backup[];
  const find = async (id: string) => (await backups()).find((one) => one.id === id);

  async function backUp(status = 'available'): Promise<Backup> {
    await world.untilIs(body.name, status);
    const answer = await world.call('POST', own('/backups'), world.as);
    expect([answer.status, answer.text]).toMatchObject([202, expect.any(String)]);
    const { id } = answer.body as Backup;
    return until(async () => {
      const found = await find(id);
      expect(found).toMatchObject({ status: 'available', engine });
      if (!found) throw new Error('the backup is gone');
      return found;
    });
  }

  /** Of the quota `databases`, which Qdrant has no part in. */
  async function claimed(): Promise<number> {
    const { body: quota } = await world.call('GET', '/tenant/quota', world.as);
    return (quota as { databases: { used: number } }).databases.used;
  }

  /** The rates that a cluster is billed at now. */
  const billed = async (id: string) =>
    (
      await query<{ metric: string }>(
        sql`SELECT metric FROM spans WHERE resource_id = ${id}::uuid AND ended_at IS NULL ORDER BY metric`,
      )
    ).map(({ metric }) => metric);

  /** A new cluster of a backup, claimed and billed as any. */
  async function restore(wish: {
    name: string;
    instances?: number;
    ram_gb?: number;
    restore: { backup_id: string };
  }): Promise<DatabaseClusterWithCredentials> {
    // The host of the tests reports itself only once.
    await execute(sql`UPDATE cells SET seen_at = platform_now()`);
    const before = await claimed();
    const answer = await world.call('POST', `/dbaas/${engine}`, {
      ...world.as,
      body: { vcpus: 1, ram_gb: 0.5, storage_gb: 1, network_id: cluster.network_id, ...wish },
    });
    expect([answer.status, answer.text]).toMatchObject([201, expect.stringContaining('restoring')]);
    const began = performance.now();
    await world.untilIs(wish.name, 'available', 240_000);
    console.info(`restored in ${Math.round(performance.now() - began)} ms`);
    const restored = answer.body as DatabaseClusterWithCredentials;
    expect(await claimed()).toBe(before + (engine === 'qdrant' ? 0 : 1));
    const rates = await billed(restored.id);
    expect(rates).toContain('block_storage');
    expect(rates).toEqual(await billed(cluster.id));
    return restored;
  }

  /** What the agent does every minute. */
  const order = () => keepBackups(ownCell());

  /** The newest backup is verified; a byte of its data in another place, and it is not. */
  async function expectChecks(): Promise<void> {
    const [newest] = (await backups()).toSorted((one, other) => other.created_at.localeCompare(one.created_at));
    const id = newest?.id ?? '';
    await order();
    await until(async () => expect(await find(id)).toMatchObject({ verified_at: expect.any(String) }));
    await until(async () => expect((await world.services.observeServices()).map((one) => one.id)).not.toContain(id));
    const damaged = await backUp();
    await damage(damaged, async (path) => {
      const content = await readFile(path);
      const at = Math.floor(content.length * 0.6);
      content.fill(content[at - 1] === 0 ? 1 : 0, at, at + 4);
      await writeFile(path, content);
    });
    await expectFailedCheck(damaged);
  }

  const damage = ({ id }: Backup, change: (path: string) => Promise<void>) =>
    change(join(settings().dataDir, 'backups', 'databases', cluster.id, baseKey(id)));

  async function expectFailedCheck({ id }: Backup): Promise<void> {
    await order();
    await until(async () =>
      expect(await find(id)).toMatchObject({ status_reason: expect.stringContaining('check failed') }),
    );
    expect((await find(id))?.verified_at).toBeNull();
  }

  /** A delete keeps the data, which can be restored, and be removed for good. */
  async function expectLastBackup(): Promise<Backup> {
    await world.untilIs(body.name, 'available');
    expect((await world.call('DELETE', own(''), world.as)).status).toBe(202);
    await until(async () => expect((await world.call('GET', own(''), world.as)).status).toBe(404));
    const last = (await backups()).find(({ kind }) => kind === 'final');
    expect(last).toMatchObject({ status: 'available', cluster_deleted: true });
    if (!last) throw new Error('there is no last backup');
    return last;
  }

  return {
    world,
    cluster,
    backups,
    backUp,
    restore,
    damage,
    expectChecks,
    expectFailedCheck,
    expectLastBackup,
    stop: () => world.stop(),
  };
}
