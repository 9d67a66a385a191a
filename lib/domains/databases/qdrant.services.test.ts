import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { connectQdrant } from '@/lib/testing/qdrant-connection';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();
const trouble = await databaseTrouble(['0.9'], 'qdrant');
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Written = { acknowledged: number; lost: number; gap_ms: number; errors: number };

describe.skipIf(trouble !== null)(`a cluster of Qdrant${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Awaited<ReturnType<typeof connectQdrant>>;
  const connect = (key: string | undefined, ca = cluster.endpoint?.ca_certificate) =>
    connectQdrant(world, { uri: cluster.endpoint?.uri, key, ca });
  beforeAll(async () => {
    world = await startDatabaseWorld('qdrant');
    const began = performance.now();
    cluster = await world.create({ name: 'vectors' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`);
    client = await connect(cluster.credentials.api_key);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('serves Qdrant’s own client over TLS that its CA vouches for', async () => {
    expect(await client.ask({ kind: 'create', collection: 'kept', size: 4 })).toBe(true);
    expect(await client.ask({ kind: 'list' })).toEqual(['kept']);
    const stranger = await connectQdrant(world, {
      uri: cluster.endpoint?.uri,
      key: cluster.credentials.api_key,
      ca: undefined,
    });
    expect(await stranger.ask({ kind: 'list' })).toEqual({ error: expect.stringContaining('certificate') });
    stranger.end();
  }, 60_000);

  test.each([
    ['another key', 'another'],
    ['no key', undefined],
  ])(
    'refuses a client with %s',
    async (_, key) => {
      const other = await connect(key);
      expect(await other.ask({ kind: 'list' })).toEqual({ error: expect.stringContaining('Unauthorized') });
      other.end();
    },
    60_000,
  );

  // Files of the member and its host, other servers, and what belongs to the platform.
  test.each([
    ['PUT', '/collections/kept/snapshots/recover', { location: 'http://10.0.0.1:6333/x.snapshot' }],
    ['PUT', '/collections/kept/snapshots/recover', { location: 'https://169.254.169.254/latest' }],
    ['PUT', '/collections/kept/snapshots/recover', { location: 'file:///etc/passwd' }],
    ['PUT', '/collections/kept/snapshots/recover', { location: 'file:///state/../etc/service/settings.json' }],
    ['PUT', '/collections/kept/snapshots/recover', { location: 'file:///proc/self/environ' }],
    ['PUT', '/collections/kept/snapshots/recover', { location: ['file:///etc/passwd'] }],
    ['GET', '/collections/kept/snapshots/..%2f..%2f..%2fetc%2fpasswd', undefined],
    ['GET', '/collections/kept/snapshots/../../../../etc/passwd', undefined],
    ['DELETE', '/collections/kept/snapshots/..%2f..%2fincarnation', undefined],
    ['GET', '/snapshots/..%2f..%2fetc%2fpasswd', undefined],
    ['GET', '/dashboard/../../etc/passwd', undefined],
    ['GET', '//etc/passwd', undefined],
    ['PUT', '/collections/..%2f..%2fescaped', { vectors: { size: 4, distance: 'Cosine' } }],
    ['PUT', '/collections/..', { vectors: { size: 4, distance: 'Cosine' } }],
    ['PUT', '/collections/a%00b', { vectors: { size: 4, distance: 'Cosine' } }],
    ['PUT', `/collections/${'x'.repeat(5_000)}`, { vectors: { size: 4, distance: 'Cosine' } }],
    [
      'POST',
      '/collections/aliases',
      { actions: [{ create_alias: { collection_name: 'kept', alias_name: '../../x' } }] },
    ],
    ['POST', '/cluster/recover', {}],
    ['DELETE', '/cluster/peer/1', undefined],
    ['POST', '/debugger', { pyroscope: { url: 'http://10.0.0.1' } }],
    ['POST', '/locks', { write: true }],
    ['PUT', '/collections/huge', { vectors: { size: 2_000_000_000, distance: 'Cosine' } }],
  ])(
    'a tenant is refused: %s %s %j',
    async (method, path, body) => {
      const answer = await client.ask<{ status: number; text: string }>({ kind: 'raw', method, path, body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toMatch(/root:|api_key|Traceback|\/etc\/service/);
      // It serves on, and nothing was made.
      expect(await client.ask({ kind: 'list' })).toEqual(['kept']);
    },
    60_000,
  );

  test('a kill of its member loses nothing that was acknowledged, and it serves again by itself', async () => {
    const { id } = await world.member(cluster, 'primary');
    await client.ask({ kind: 'write', collection: 'kept' });
    await world.killAndAwait(id);
    const written = await client.ask<Written>({ kind: 'finish', collection: 'kept' });
    console.info('member killed', written);
    expect(written.acknowledged).toBeGreaterThanOrEqual(400);
    expect(written.lost).toBe(0);
    await world.untilIs('vectors', 'available');
    expect(await client.ask({ kind: 'search', collection: 'kept', vector: [1_000, 1, 2, 3] })).toMatchObject([
      { id: expect.any(Number), payload: { id: expect.any(Number) } },
    ]);
  }, 120_000);

  test('a disk that is nearly full refuses writes, still serves reads and drops collections, and takes writes when there is room', async () => {
    await world.untilIs('vectors', 'available');
    const { id } = await world.member(cluster, 'primary');
    const point = { kind: 'put', collection: 'kept', id: 1 };
    await client.ask({ kind: 'create', collection: 'spare', size: 4 });
    await world.leaveRoom(id, 50);
    await world.untilIs('vectors', 'degraded');
    expect((await world.read('vectors')).status_reason).toContain('nearly full');
    // The member looks at its disk for itself, and may do so after the agent.
    await vi.waitFor(
      async () => expect(await client.ask(point)).toEqual({ error: expect.stringContaining('Insufficient Storage') }),
      { timeout: 10_000, interval: 100 },
    );
    expect(await client.ask({ kind: 'drop', collection: 'spare' })).toBe(true);
    expect(await client.ask({ kind: 'list' })).toEqual(['kept']);
    await world.leaveRoom(id, null);
    await world.untilIs('vectors', 'available');
    expect(await client.ask(point)).toMatchObject({ status: 'completed' });
  }, 60_000);

  test('a member that hangs is started anew', async () => {
    await world.untilIs('vectors', 'available');
    const { id } = await world.member(cluster, 'primary');
    await world.signalTo(id, 'SIGSTOP');
    await world.untilIs('vectors', 'degraded');
    await world.untilIs('vectors', 'available');
    expect(await client.ask({ kind: 'list' })).toEqual(['kept']);
  }, 60_000);

  test('a new key holds as soon as the change is done, and the former one no longer', async () => {
    const answer = await world.call('POST', `${world.paths('vectors')}/reset-password`, world.as);
    expect([answer.status, answer.body]).toMatchObject([200, { credentials: { api_key: expect.any(String) } }]);
    await world.untilIs('vectors', 'available');
    const { credentials } = answer.body as DatabaseClusterWithCredentials;
    const next = await connect(credentials.api_key);
    expect(await next.ask({ kind: 'list' })).toEqual(['kept']);
    next.end();
    expect(await client.ask({ kind: 'list' })).toEqual({ error: expect.stringContaining('Unauthorized') });
  }, 60_000);

  test('a delete leaves nothing of it', async () => {
    const { id } = await world.member(cluster, 'primary');
    expect((await world.call('DELETE', world.paths('vectors'), world.as)).status).toBe(202);
    await vi.waitFor(async () => expect((await world.call('GET', world.paths('vectors'), world.as)).status).toBe(404), {
      timeout: 30_000,
      interval: 100,
    });
    const services = (await world.services.observeServices()).map((one) => one.id);
    expect(services.filter((one) => [id, cluster.id].includes(one))).toEqual([]);
    const own = [id, cluster.id];
    for (const [table, column] of [
      ['database_clusters', 'id'],
      ['database_members', 'cluster_id'],
      ['devices', 'id'],
      ['ports', 'device_id'],
      ['reservations', 'device_id'],
    ])
      expect([
        table,
        await query(sql`SELECT FROM ${raw(table ?? '')} WHERE ${raw(column ?? '')} = ANY (${own}::uuid[])`),
      ]).toEqual([table, []]);
  }, 60_000);
});
