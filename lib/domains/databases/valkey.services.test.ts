import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { connectIoredis } from '@/lib/testing/ioredis-connection';
import { connectValkey } from '@/lib/testing/valkey-connection';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();
const trouble = await databaseTrouble(['9.1'], 'valkey');
if (trouble !== null && process.env.CI) throw new Error(trouble);

/** By its account, or by the server for anybody who comes by the network. */
const REFUSAL = /^(NOPERM|ERR (MODULE|DEBUG) command not allowed)/;

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;

describe.skipIf(trouble !== null)(`a cluster of Valkey${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Awaited<ReturnType<typeof connectValkey>>;
  beforeAll(async () => {
    world = await startDatabaseWorld('valkey');
    const began = performance.now();
    cluster = await world.create({ name: 'cache' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`);
    client = await connectValkey(world, cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('answers the tenant over TLS that its own CA vouches for', async () => {
    expect(cluster.endpoint?.uri).toMatch(/^rediss:\/\/app@/);
    expect(await client.run(['SET', 'greeting', 'hello'], ['GET', 'greeting'])).toEqual(['OK', 'hello']);
  }, 60_000);

  test('the tenant can change nothing but its own data', async () => {
    const attempts = [
      ['CONFIG', 'SET', 'dir', '/etc'],
      ['CONFIG', 'GET', '*'],
      ['MODULE', 'LOAD', '/state/x.so'],
      ['DEBUG', 'SLEEP', 1],
      ['REPLICAOF', '10.0.0.1', 6379],
      ['SLAVEOF', 'NO', 'ONE'],
      ['SHUTDOWN', 'NOSAVE'],
      ['ACL', 'SETUSER', 'app', '+@all'],
      ['ACL', 'LIST'],
      ['MIGRATE', '10.0.0.1', 6379, 'greeting', 0, 100],
      ['SAVE'],
      ['BGREWRITEAOF'],
      ['FAILOVER'],
      ['CLIENT', 'KILL', 'TYPE', 'replica'],
      ['CLIENT', 'PAUSE', 1000],
      ['MONITOR'],
      ['SYNC'],
      ['CLUSTER', 'RESET'],
      ['RESTORE', 'made', 0, 'x'],
    ];
    for (const [index, answer] of (await client.run(...attempts)).entries())
      expect([attempts[index], answer]).toEqual([attempts[index], { error: expect.stringMatching(REFUSAL) }]);
    const [read, run] = await client.run(
      ['EVAL', "return io.open('/etc/service/users.acl')", 0],
      ['EVAL', "return os.execute('id')", 0],
    );
    expect([read, run]).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }]);
  }, 60_000);

  const untilAnother = (id: string) =>
    vi.waitFor(async () => expect((await world.member(cluster, 'primary')).id).not.toBe(id), {
      timeout: 60_000,
      interval: 20,
    });

  test('a planned switch loses nothing', async () => {
    await world.untilIs('cache', 'available');
    const primary = await world.member(cluster, 'primary');
    const writing = client.write(3_000);
    const { status } = await world.call('POST', `${world.paths('cache')}/failover`, world.as);
    expect(status).toBe(202);
    await untilAnother(primary.id);
    const written = await writing;
    console.info('planned switch', written);
    expect(written.acknowledged).toBeGreaterThan(100);
    expect(written.lost).toBe(0);
  }, 120_000);

  test('ioredis writes on through a planned switch, and reads all of it back', async () => {
    await world.untilIs('cache', 'available');
    const redis = await connectIoredis(world, cluster);
    expect(await redis.run(['SET', 'from-ioredis', 'before'], ['GET', 'from-ioredis'])).toEqual(['OK', 'before']);
    expect(await redis.transaction('counted')).toEqual([
      [null, 'OK'],
      [null, 2],
      [null, '2'],
    ]);
    const primary = await world.member(cluster, 'primary');
    await redis.startWriting();
    const { status } = await world.call('POST', `${world.paths('cache')}/failover`, world.as);
    expect(status).toBe(202);
    await untilAnother(primary.id);
    await world.untilIs('cache', 'available');
    const written = await redis.stopWriting();
    console.info('ioredis through a planned switch', written);
    expect(written).toMatchObject({ lost: 0, errors: [] });
    expect(written.acknowledged).toBeGreaterThan(50);
    expect(written.connections).toBeGreaterThan(1);
    expect(await redis.run(['GET', 'from-ioredis'])).toEqual(['before']);
    redis.end();
  }, 120_000);

  test('ioredis with Sentinel finds the primary, writes on through a planned switch, and finds replicas', async () => {
    await world.untilIs('cache', 'available');
    const { sentinel, endpoint } = cluster;
    if (!sentinel || !endpoint) throw new Error('the cluster has no Sentinel');
    const tls = { ca: endpoint.ca_certificate };
    const bySentinel = {
      sentinels: [{ host: sentinel.host, port: sentinel.port }],
      name: sentinel.master_name,
      sentinelPassword: 'whatever the client is made to send',
      enableTLSForSentinelMode: true,
      sentinelTLS: tls,
      tls,
    };
    const redis = await connectIoredis(world, cluster, bySentinel);
    expect(await redis.run(['SET', 'by-sentinel', 'found'], ['GET', 'by-sentinel'])).toEqual(['OK', 'found']);
    await redis.startWriting();
    const primary = await world.member(cluster, 'primary');
    expect((await world.call('POST', `${world.paths('cache')}/failover`, world.as)).status).toBe(202);
    await untilAnother(primary.id);
    await world.untilIs('cache', 'available');
    const written = await redis.stopWriting();
    expect(written).toMatchObject({ lost: 0, errors: [] });
    expect(written.connections).toBeGreaterThan(1);
    redis.end();

    const replica = await connectIoredis(world, cluster, { ...bySentinel, role: 'slave' });
    expect(await replica.run(['ROLE'])).toEqual([expect.arrayContaining(['slave'])]);
    replica.end();

    // Without the ways of a client that asks again and again.
    const asked = { port: sentinel.port, username: undefined, password: undefined, enableReadyCheck: false };
    const plain = await connectIoredis(world, cluster, asked);
    const name = sentinel.master_name;
    expect(
      await plain.run(
        ['SENTINEL', 'get-master-addr-by-name', name],
        ['SENTINEL', 'get-master-addr-by-name', 'another'],
        ['SENTINEL', 'sentinels', name],
        ['SENTINEL', 'failover', name],
        ['CONFIG', 'GET', '*'],
      ),
    ).toEqual([
      [endpoint.host, String(endpoint.port)],
      null,
      [],
      { error: expect.stringContaining('Unknown or forbidden subcommand') },
      { error: expect.stringContaining('unknown command') },
    ]);
    plain.end();
    const wrong = await connectIoredis(world, cluster, {
      ...asked,
      tls: { ca: rootCertificates[0] },
      maxRetriesPerRequest: 0,
    });
    expect(await wrong.run(['PING'])).toEqual([{ error: expect.stringContaining('certificate') }]);
    wrong.end();
  }, 120_000);

  test('ioredis reads from a standby', async () => {
    await world.untilIs('cache', 'available');
    const redis = await connectIoredis(world, cluster, { port: cluster.read_endpoint?.port });
    await client.run(['SET', 'for-ioredis', 'replicated']);
    await vi.waitFor(async () => expect(await redis.run(['GET', 'for-ioredis'])).toEqual(['replicated']), {
      timeout: 20_000,
    });
    expect(await redis.run(['SET', 'for-ioredis', 'changed'])).toEqual([
      { error: expect.stringContaining('READONLY') },
    ]);
    redis.end();
  }, 60_000);

  test.each([
    ['another CA', { tls: { ca: rootCertificates[0] } }, 'certificate'],
    ['another password', { password: 'another' }, 'WRONGPASS'],
  ])(
    'ioredis with %s is refused',
    async (_, change, reason) => {
      const redis = await connectIoredis(world, cluster, { ...change, maxRetriesPerRequest: 0 });
      expect(await redis.run(['GET', 'greeting'])).toEqual([{ error: expect.stringContaining(reason) }]);
      redis.end();
    },
    60_000,
  );

  test.each([
    ['is killed', 'SIGKILL', 4_000, 4_000],
    ['hangs', 'SIGSTOP', 9_000, 8_000],
  ] as const)(
    'a primary that %s does not keep clients from writing',
    async (_, signal, most, ms) => {
      await world.untilIs('cache', 'available');
      const primary = await world.member(cluster, 'primary');
      const writing = client.write(ms);
      await vi.waitFor(async () => expect((await world.read('cache')).status).toBe('available'), 15_000);
      await world.signalTo(primary.id, signal);
      const written = await writing;
      console.info(expect.getState().currentTestName, written);
      expect(written.gap_ms).toBeLessThan(most);
      await world.untilIs('cache', 'available');
    },
    120_000,
  );

  test('a new password holds, and the former one no longer', async () => {
    await world.untilIs('cache', 'available');
    // Another change may just have ended.
    const reset = await vi.waitFor(
      async () => {
        const answer = await world.call('POST', `${world.paths('cache')}/reset-password`, world.as);
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeout: 20_000, interval: 200 },
    );
    await world.untilIs('cache', 'available');
    const changed = reset.body as DatabaseClusterWithCredentials;
    const next = await connectValkey(world, changed);
    expect(await next.run(['PING'])).toEqual(['PONG']);
    next.end();
    const [refused] = await client.run(['PING']);
    expect(refused).toEqual({ error: expect.stringContaining('WRONGPASS') });
  }, 60_000);
});
