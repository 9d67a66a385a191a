import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { speakTo } from '@/lib/testing/line-client';
import { mongodbChecks } from '@/lib/testing/mongodb-checks';
import { connectMongodb } from '@/lib/testing/mongodb-connection';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();
const trouble = await databaseTrouble(['0.7'], 'mongodb');
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Written = { acknowledged: number; lost: number; added: number; counted: number; errors: number; gap_ms: number };

const refused = (text: string) => ({ error: expect.stringContaining(text) });

describe.skipIf(trouble !== null)(`a cluster of MongoDB${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  let cluster: DatabaseClusterWithCredentials;
  let client: Awaited<ReturnType<typeof connectMongodb>>;
  beforeAll(async () => {
    world = await startDatabaseWorld('mongodb');
    const began = performance.now();
    cluster = await world.create({ name: 'documents' });
    console.info(`created in ${Math.round(performance.now() - began)} ms`);
    client = await connectMongodb(world, cluster);
  }, 300_000);
  afterAll(async () => {
    client?.end();
    await world?.stop();
  }, 120_000);

  test('serves MongoDB’s own driver by the URI that the API answers, over TLS that its CA vouches for', async () => {
    expect(cluster).toMatchObject({
      preview: 'single member',
      highly_available: false,
      username: 'app',
      database: 'app',
    });
    expect(cluster.endpoint?.uri).toContain('replicaSet=');
    expect(await client.ask({ kind: 'ping' })).toBe(1);
    const hello = { kind: 'command', database: 'app', command: { hello: 1 } };
    const { host, port } = cluster.endpoint ?? {};
    expect(await client.ask(hello)).toMatchObject({ isWritablePrimary: true, hosts: [`${host}:${port}`] });
    const stranger = await connectMongodb(world, cluster, { trust: false });
    expect(await stranger.ask({ kind: 'ping' })).toEqual(refused('certificate'));
    stranger.end();
    const wrong = await connectMongodb(world, cluster, { password: 'wrong' });
    expect(await wrong.ask({ kind: 'ping' })).toEqual(refused('authentication failed'));
    wrong.end();
  }, 60_000);

  test.each(Object.keys(mongodbChecks))(
    '%s',
    async (name) => {
      expect(await client.ask({ kind: 'check', name })).toBe('passed');
    },
    30_000,
  );

  const own = (command: Record<string, unknown>): [string, Record<string, unknown>] => ['app', command];
  const admin = (command: Record<string, unknown>): [string, Record<string, unknown>] => ['admin', command];
  const aggregate = (...pipeline: unknown[]) => own({ aggregate: 'kept', pipeline, cursor: {} });
  test.each([
    ['write a file of the host', admin({ 'secantusAdmin.backupArchive': 1, outputPath: '/etc/x' }), 'no such command'],
    [
      'read a file',
      admin({ 'secantusAdmin.restoreArchive': 1, archivePath: '/etc/passwd', targetDir: '/state/x' }),
      'no such command',
    ],
    ['run a program', own({ eval: 'x' }), 'no such command'],
    ['run code in a filter', own({ find: 'kept', filter: { $where: 'while (true);' } }), 'globalScriptEngine'],
    [
      'run code in an expression',
      aggregate({ $project: { x: { $function: { body: 'x', args: [], lang: 'js' } } } }),
      '$function',
    ],
    [
      'run code to map and reduce',
      own({ mapReduce: 'kept', map: 'x', reduce: 'y', out: { inline: 1 } }),
      'no such command',
    ],
    ['make an account', own({ createUser: 'x', pwd: 'x', roles: [{ role: 'root', db: 'admin' }] }), 'no such command'],
    [
      'raise its own account',
      own({ grantRolesToUser: 'app', roles: [{ role: 'root', db: 'admin' }] }),
      'no such command',
    ],
    [
      'make a role',
      own({ createRole: 'x', privileges: [{ resource: { anyResource: true }, actions: ['fsync'] }], roles: [] }),
      'no such command',
    ],
    ['read the accounts', admin({ find: 'system.users' }), 'not authorized'],
    ['write an account', admin({ insert: 'system.users', documents: [{ _id: 'admin.x' }] }), 'not authorized'],
    ['write to another database', ['other', { insert: 'x', documents: [{}] }], 'not authorized'],
    [
      'write to several databases at once',
      admin({ bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'other.x' }] }),
      'no such command',
    ],
    ['move a collection to another database', admin({ renameCollection: 'app.kept', to: 'other.x' }), 'not authorized'],
    ['write another database by a pipeline', aggregate({ $out: { db: 'other', coll: 'x' } }), 'not authorized'],
    [
      'read another database by a pipeline',
      aggregate({ $unionWith: { db: 'admin', coll: 'system.users' } }),
      'unknown field',
    ],
    ['read the log of all writes', ['local', { find: 'oplog.rs' }], 'not authorized'],
    ['read the server’s log', admin({ getLog: 'global' }), 'no such command'],
    ['read how the server was started', admin({ getCmdLineOpts: 1 }), 'no such command'],
    ['read about the host', admin({ hostInfo: 1 }), 'no such command'],
    ['change the server’s settings', admin({ setParameter: 1, logLevel: 5 }), 'no such command'],
    ['end the server', admin({ shutdown: 1 }), 'no such command'],
    ['make the server step down', admin({ replSetStepDown: 60, force: true }), 'no such command'],
    ['let the server fail', admin({ configureFailPoint: 'failCommand', mode: 'alwaysOn' }), 'no such command'],
    ['end what others do', admin({ killAllSessions: [] }), 'no such command'],
    [
      'have the server connect elsewhere',
      admin({ replSetReconfig: { _id: 'x', members: [{ host: '10.0.0.1' }] } }),
      'no such command',
    ],
  ] as const)(
    'the tenant’s own user cannot %s',
    async (_, [database, command], text) => {
      expect(await client.ask({ kind: 'command', database, command })).toEqual(refused(text));
    },
    30_000,
  );

  test('a connection that says nothing, or nothing of the protocol, holds nobody up', async () => {
    const { argv, env } = await world.inTenantNetwork('lib/testing/silent-connections.ts', {
      host: cluster.endpoint?.host,
      port: cluster.endpoint?.port,
    });
    const silent = speakTo(argv, env, '/nonexistent');
    expect(await silent.ask({})).toBe(20);
    const other = await connectMongodb(world, cluster);
    expect(await other.ask({ kind: 'ping' })).toBe(1);
    other.end();
    silent.end();
  }, 60_000);

  test('a kill of its member loses nothing that was acknowledged, does nothing twice, and it serves again by itself', async () => {
    const { id } = await world.member(cluster, 'primary');
    await client.ask({ kind: 'write' });
    await world.killAndAwait(id);
    const written = await client.ask<Written>({ kind: 'finish' });
    console.info('member killed', written);
    expect(written.acknowledged).toBeGreaterThanOrEqual(200);
    expect(written.lost).toBe(0);
    expect(written.counted).toBeGreaterThanOrEqual(written.added);
    // What got an error may have been done, once.
    expect(written.counted).toBeLessThanOrEqual(written.added + written.errors);
    await world.untilIs('documents', 'available');
  }, 120_000);

  test('a write that was sent before a crash is not done a second time when it is repeated', async () => {
    const { id } = await world.member(cluster, 'primary');
    const add = {
      kind: 'numbered',
      number: 900_000,
      command: { update: 'counted', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }] },
    };
    const read = { kind: 'command', database: 'app', command: { find: 'counted' } };
    await client.ask(add);
    expect(await client.ask(add)).toMatchObject({ ok: 1 });
    await world.killAndAwait(id);
    await world.untilIs('documents', 'available');
    expect(await client.ask({ kind: 'ping' })).toBe(1);
    expect(await client.ask(add)).toEqual(refused('may have been done'));
    expect(await client.ask(read)).toMatchObject({ cursor: { firstBatch: [{ _id: 1, n: 1 }] } });
  }, 60_000);

  test('a disk that is nearly full refuses writes, still serves reads, and takes writes when there is room', async () => {
    // After a crash, the status comes to `available` a moment later than the member.
    await world.untilIs('documents', 'available');
    const { id } = await world.member(cluster, 'primary');
    await client.ask({ kind: 'insert', count: 10 });
    const before = await client.ask({ kind: 'count', collection: 'kept' });
    await world.leaveRoom(id, 80);
    await world.untilIs('documents', 'degraded');
    expect((await world.read('documents')).status_reason).toContain('nearly full');
    // The member looks at its disk once a second, and may do so after the agent.
    await vi.waitFor(
      async () => expect(await client.ask({ kind: 'insert', count: 1 })).toEqual(refused('nearly full')),
      { timeout: 10_000, interval: 100 },
    );
    expect(await client.ask({ kind: 'count', collection: 'kept' })).toBeGreaterThanOrEqual(Number(before));
    await world.leaveRoom(id, null);
    await world.untilIs('documents', 'available');
    expect(await client.ask({ kind: 'insert', count: 1 })).toBe(1);
  }, 60_000);

  test('a member that hangs is started anew', async () => {
    await world.untilIs('documents', 'available');
    const { id } = await world.member(cluster, 'primary');
    await world.signalTo(id, 'SIGSTOP');
    await world.untilIs('documents', 'degraded');
    await world.untilIs('documents', 'available');
    expect(await client.ask({ kind: 'ping' })).toBe(1);
  }, 60_000);

  test('more memory and more storage reach the member, with its data', async () => {
    const before = await client.ask({ kind: 'count', collection: 'kept' });
    const answer = await world.call('PATCH', world.paths('documents'), {
      ...world.as,
      body: { ram_gb: 1, storage_gb: 2 },
    });
    expect([answer.status, answer.text]).toMatchObject([expect.any(Number), expect.stringContaining('updating')]);
    await world.untilIs('documents', 'available');
    expect(await world.read('documents')).toMatchObject({ ram_gb: 1, storage_gb: 2 });
    // Who comes anew: how soon an open client notices is the driver's affair.
    const next = await connectMongodb(world, cluster);
    expect(await next.ask({ kind: 'count', collection: 'kept' })).toBe(before);
    next.end();
  }, 90_000);

  test('vCPUs, memory and storage are billed as compute and block storage', async () => {
    const open = await query<{ metric: string; quantity: string }>(
      sql`SELECT metric, quantity FROM spans WHERE resource_id = ${cluster.id}::uuid AND ended_at IS NULL ORDER BY metric`,
    );
    expect(open.map(({ metric, quantity }) => [metric, Number(quantity)])).toEqual([
      ['block_storage', 2],
      ['compute_memory', 1],
      ['compute_vcpu', 1],
    ]);
  });

  test('a new password holds as soon as the change is done, and the former one no longer, for open connections too', async () => {
    const open = await connectMongodb(world, cluster);
    expect(await open.ask({ kind: 'ping' })).toBe(1);
    const answer = await world.call('POST', `${world.paths('documents')}/reset-password`, world.as);
    expect([answer.status, answer.body]).toMatchObject([200, { credentials: { password: expect.any(String) } }]);
    await world.untilIs('documents', 'available');
    const next = await connectMongodb(world, answer.body as DatabaseClusterWithCredentials);
    expect(await next.ask({ kind: 'ping' })).toBe(1);
    next.end();
    expect(await open.ask({ kind: 'count', collection: 'kept' })).toEqual(refused('authentication failed'));
    open.end();
  }, 60_000);

  test('a delete leaves nothing of it', async () => {
    const { id } = await world.member(cluster, 'primary');
    expect((await world.call('DELETE', world.paths('documents'), world.as)).status).toBe(202);
    await vi.waitFor(
      async () => expect((await world.call('GET', world.paths('documents'), world.as)).status).toBe(404),
      { timeout: 60_000, interval: 100 },
    );
    const services = (await world.services.observeServices()).map((one) => one.id);
    expect(services.filter((one) => [id, cluster.id].includes(one))).toEqual([]);
    const gone = [id, cluster.id];
    for (const [table, column] of [
      ['database_clusters', 'id'],
      ['database_members', 'cluster_id'],
      ['devices', 'id'],
      ['ports', 'device_id'],
      ['reservations', 'device_id'],
    ])
      expect([
        table,
        await query(sql`SELECT FROM ${raw(table ?? '')} WHERE ${raw(column ?? '')} = ANY (${gone}::uuid[])`),
      ]).toEqual([table, []]);
  }, 60_000);
});
