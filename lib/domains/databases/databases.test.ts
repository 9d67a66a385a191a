import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { readCluster } from './cluster/clusters';
import { driverOf } from './cluster/drivers';
import { endpointSpec } from './cluster/specs';
import { renderEndpoint } from './endpoint/configuration';
import { databaseEngines } from './engines';
import { enginePorts } from './ports';
import { postgresParameters } from './postgres/parameters';
import { memberSpec } from './postgres/specs';
import type { DatabaseCluster, DatabaseClusterWithCredentials, EngineVersion } from './schema';
import { openSecrets, scramVerifier } from './secrets';

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  await defaultNetwork(acme);
});

const as = (project = acme) => ({ token: project.users.member.token });
const small = { vcpus: 1, ram_gb: 1, storage_gb: 10 };
const create = (name: string, change: object = {}, project = acme, engine = 'postgres') =>
  call('POST', `/dbaas/${engine}`, { ...as(project), body: { name, ...small, ...change } });
const path = (name: string, namespace = 'default') => `/dbaas/clusters/postgres/${namespace}/${name}`;
/** As after the work of its operation. */
const settle = (id: string) =>
  execute(
    sql`UPDATE database_clusters SET status = 'available', running = instances, launched_at = coalesce(launched_at, platform_now()) WHERE id = ${id}::uuid`,
  );
const patch = (name: string, body: object) => call('PATCH', path(name), { ...as(), body });
const messageOf = ({ body }: { body: unknown }) => (body as { error: { message: string } }).error.message;

test('a cluster has an address, members, a CA and, in the answer of its create alone, a password', async () => {
  const created = await create('orders');
  const cluster = created.body as DatabaseClusterWithCredentials;
  expect([created.status, cluster]).toMatchObject([
    201,
    {
      engine: 'postgres',
      namespace: 'default',
      version: '18',
      status: 'provisioning',
      instances: 2,
      highly_available: true,
      members: [
        { name: 'orders-1', role: 'primary', status: 'starting' },
        { name: 'orders-2', role: 'standby', status: 'starting' },
      ],
      endpoint: { port: 5432, ca_certificate: expect.stringContaining('BEGIN CERTIFICATE') },
      read_endpoint: { port: 5433 },
      credentials: { username: 'app', database: 'app' },
    },
  ]);
  expect(cluster.endpoint?.uri).toBe(`postgresql://app@${cluster.endpoint?.host}:5432/app`);
  const { credentials: _, ...rest } = cluster;
  const read = await call('GET', '/dbaas/postgres/default/orders', as());
  expect(read.body).toEqual(rest);
  expect(
    JSON.stringify(await query(sql`SELECT * FROM database_clusters WHERE project_id = ${acme.id}::uuid`)),
  ).not.toContain(cluster.credentials.password);
  for (const list of ['/dbaas/clusters', '/dbaas/postgres', '/dbaas/clusters?engine=postgres&search=order'])
    expect((await call('GET', list, as())).body).toEqual([rest]);
  expect((await call('GET', '/dbaas/valkey', as())).body).toEqual([]);
});

test('names are unique by engine and namespace', async () => {
  expect((await create('orders')).status).toBe(201);
  const again = await create('orders');
  expect([again.status, messageOf(again)]).toEqual([
    409,
    'name: namespace default already has a postgres cluster named orders.',
  ]);
  expect((await create('orders', { namespace: 'staging' })).status).toBe(201);
});

test('forty parallel creates at the limit of ten make exactly ten clusters, and the refusals say the current usage', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => create(`parallel-${index}`, { instances: 1, storage_gb: 1 })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
  expect(JSON.stringify(refused[0]?.body)).toContain('Quota exceeded for databases: limit 10, in use 10.');
  expect(await query(sql`SELECT FROM database_clusters WHERE project_id = ${acme.id}::uuid`)).toHaveLength(10);
});

test.each([
  ['instances', { instances: 5, vcpus: 2 }, 'DATABASE_CLUSTER_VCPUS'],
  ['memory', { instances: 5, ram_gb: 8 }, 'DATABASE_CLUSTER_RAM_GB'],
  ['storage', { storage_gb: 300 }, 'DATABASE_CLUSTER_STORAGE_GB'],
])('a cluster beyond the limit of %s is refused by the name of its setting', async (_, change, setting) => {
  const answer = await create('huge', change);
  expect([answer.status, messageOf(answer)]).toEqual([409, expect.stringContaining(setting)]);
});

test('a cell without room refuses before anything is written', async () => {
  await createCell('test-host', { memory_mb: 1_000 });
  const answer = await create('crowded');
  expect([answer.status, answer.body]).toMatchObject([503, { error: { code: 'CAPACITY_EXHAUSTED' } }]);
  for (const table of ['database_clusters', 'database_members', 'reservations', 'service_authorities'])
    expect([table, await query(sql`SELECT FROM ${raw(table)} WHERE project_id = ${acme.id}::uuid`)]).toEqual([
      table,
      [],
    ]);
});

describe('parameters', () => {
  test('are checked one by one, with their bounds and units', async () => {
    const refused: [object, RegExp][] = [
      [{ shared_buffers: 1 }, /parameters\.shared_buffers: postgres has no such parameter/],
      [{ max_connections: 5 }, /parameters\.max_connections must be between 20 and 1000/],
      [{ work_mem: '64MB' }, /parameters\.work_mem must be a whole number of kB/],
      [{ log_statement: 'some' }, /parameters\.log_statement must be one of none, ddl, mod, all/],
      [{ jit: 'on' }, /parameters\.jit must be true or false/],
      [{ archive_command: 'cp %p /tmp' }, /no such parameter/],
    ];
    for (const [parameters, message] of refused) {
      const answer = await create('tuned', { parameters });
      expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await create('tuned', { parameters: { work_mem: 8192, jit: true } })).status).toBe(201);
    const { body } = await call('GET', '/dbaas/catalog/parameters?engine=postgres', as());
    expect(body).toHaveLength(postgresParameters.length);
  });

  test('a change leaves the others, and null resets one', async () => {
    const id = idOf(await create('tuned', { parameters: { work_mem: 8192, jit: true } }));
    await settle(id);
    const changed = await patch('tuned', { parameters: { jit: null, lock_timeout: 1000 } });
    expect([changed.status, changed.body]).toMatchObject([
      202,
      { status: 'updating', parameters: { work_mem: 8192, lock_timeout: 1000 } },
    ]);
    expect((changed.body as DatabaseCluster).parameters).not.toHaveProperty('jit');
  });

  test('no parameter can bring its own line into the configuration', async () => {
    const id = idOf(await create('tuned', { parameters: { log_statement: 'all' } }));
    const cluster = await readCluster(id);
    if (!cluster?.members[0]) throw new Error('no member');
    const { files } = await memberSpec(
      { ...cluster, parameters: { log_statement: "none'\narchive_command = 'id" } },
      cluster.members[0],
    );
    const text = files.find(({ path: name }) => name === 'postgresql.conf')?.content ?? '';
    expect(text).toContain("log_statement = 'none''");
  });
});

test('a cluster of MongoDB is a replica set of one, said to be a preview, and claims of the quota', async () => {
  const created = await create('documents', {}, acme, 'mongodb');
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      version: '0.7',
      instances: 1,
      preview: 'single member',
      highly_available: false,
      credentials: { username: 'app', database: 'app', password: expect.any(String) },
      endpoint: {
        port: 27017,
        uri: expect.stringMatching(/^mongodb:\/\/app@[\d.]+:27017\/app\?replicaSet=secantus&tls=true$/),
      },
    },
  ]);
  const { body: quota } = await call('GET', '/tenant/quota', as());
  expect(quota).toMatchObject({ databases: { used: 1 } });
  expect((await create('more', { instances: 3 }, acme, 'mongodb')).status).toBe(400);
  expect((await create('more', { version: '0.0' }, acme, 'mongodb')).status).toBe(400);
});

test('clusters of Valkey are created with its newest version, or with an older one that is certified', async () => {
  expect((await create('old', { version: '8.0' }, acme, 'valkey')).body).toMatchObject({ version: '8.0' });
  expect((await create('cache', {}, acme, 'valkey')).body).toMatchObject({
    version: '9.1',
    endpoint: { port: 6379 },
    sentinel: { port: 26379, master_name: 'cache' },
  });
});

test('a cluster of Qdrant has one member and an API key, which is kept as its digest alone', async () => {
  const created = await create('vectors', {}, acme, 'qdrant');
  expect([created.status, created.body]).toMatchObject([
    201,
    { version: '0.9', instances: 1, username: null, database: null, endpoint: { port: 6333 }, read_endpoint: null },
  ]);
  const { id, credentials, endpoint } = created.body as DatabaseClusterWithCredentials;
  expect(credentials).toEqual({ api_key: expect.stringMatching(/^[\w-]{32}$/) });
  expect(endpoint?.uri).toBe(`https://${endpoint?.host}:6333`);
  const key = credentials.api_key ?? '';
  const cluster = await readCluster(id);
  if (!cluster?.members[0]) throw new Error('no member');
  const digest = createHash('sha256').update(key).digest('hex');
  expect(openSecrets(id, cluster.sealed_secrets).verifier).toBe(digest);
  const spec = await driverOf(cluster).memberSpec(cluster, cluster.members[0]);
  expect(spec.files.find((file) => file.path === 'api-key')).toMatchObject({ content: `${digest}\n`, secret: true });
  for (const table of ['database_clusters', 'audit_entries', 'operations'])
    expect(JSON.stringify(await query(sql`SELECT * FROM ${raw(table)}`))).not.toContain(key);
  expect(JSON.stringify(spec)).not.toContain(key);
  const path = '/dbaas/clusters/qdrant/default/vectors';
  expect((await call('GET', path, as())).text).not.toContain(key);
  await settle(id);
  expect(await queryRow(sql`SELECT billed(c) AS uses FROM database_clusters c WHERE id = ${id}::uuid`)).toEqual({
    uses: { block_storage: 10, compute_vcpu: 1, compute_memory: 1 },
  });
  const switched = await call('POST', `${path}/failover`, as());
  expect([switched.status, messageOf(switched)]).toEqual([409, expect.stringContaining('nothing to switch to')]);
  const reset = await call('POST', `${path}/reset-password`, as());
  expect((reset.body as DatabaseClusterWithCredentials).credentials).toEqual({ api_key: expect.any(String) });
  expect((await create('more', { instances: 3 }, acme, 'qdrant')).status).toBe(400);
});

test('parallel creates of Qdrant clusters stop at their own limit, and take nothing of the quota', async () => {
  const most = settings().qdrantClustersPerProject;
  const answers = await Promise.all(
    Array.from({ length: most + 3 }, (_, index) => create(`vectors-${index}`, { storage_gb: 1 }, acme, 'qdrant')),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(most);
  for (const refused of answers.filter(({ status }) => status !== 201))
    expect([refused.status, messageOf(refused)]).toEqual([409, expect.stringContaining('QDRANT_CLUSTERS_PER_PROJECT')]);
  expect((await create('orders')).status).toBe(201);
});

test('certified versions say where they can be upgraded to, and how long they are supported', async () => {
  const { body } = await call('GET', '/dbaas/catalog/versions?engine=postgres', as());
  const versions = body as EngineVersion[];
  expect(versions.map(({ version }) => version)).toEqual(['14', '15', '16', '17', '18']);
  expect(versions.find(({ version }) => version === '16')).toMatchObject({ upgrades_to: ['17', '18'], default: false });
  await create('older', { version: '16' });
  const candidates = await call('GET', `${path('older')}/upgrade-candidates`, as());
  expect(candidates.body).toMatchObject([
    { version: '17', tier: 'major' },
    { version: '18', tier: 'major' },
  ]);
});

test('a cluster of MariaDB can go to the next series, with a way back that loses nothing', async () => {
  await create('older', { version: '10.11' }, acme, 'mysql');
  const where = '/dbaas/clusters/mysql/default/older';
  expect((await call('GET', `${where}/upgrade-candidates`, as())).body).toMatchObject([
    { version: '11.8', tier: 'major', rollback: { possible: true, loses: null } },
  ]);
  expect((await call('GET', where, as())).body).toMatchObject({ upgrade_available: '11.8' });
});

test('a cluster of Qdrant can go to the next release of its core, with a way back that loses nothing', async () => {
  await create('older', { version: '0.8' }, acme, 'qdrant');
  const where = '/dbaas/clusters/qdrant/default/older';
  expect((await call('GET', `${where}/upgrade-candidates`, as())).body).toMatchObject([
    { version: '0.9', tier: 'minor', rollback: { possible: true, loses: null } },
  ]);
  expect((await call('GET', where, as())).body).toMatchObject({ upgrade_available: '0.9' });
});

test('the catalogue says of an engine with a single version that there is nothing to upgrade to, and so does a refusal', async () => {
  const hint = 'This release has a single version of MongoDB: there is nothing to upgrade to.';
  const { body } = await call('GET', '/dbaas/catalog/versions', as());
  for (const one of databaseEngines) {
    const versions = (body as EngineVersion[]).filter(({ engine }) => engine === one);
    expect([one, versions.every(({ upgrades_hint }) => upgrades_hint === null)]).toEqual([one, versions.length > 1]);
  }
  expect(body).toContainEqual(expect.objectContaining({ engine: 'mongodb', upgrades_to: [], upgrades_hint: hint }));
  await create('documents', {}, acme, 'mongodb');
  const where = '/dbaas/clusters/mongodb/default/documents';
  expect((await call('GET', `${where}/upgrade-candidates`, as())).body).toEqual([]);
  expect((await call('GET', where, as())).body).toMatchObject({ upgrade_available: null });
  for (const refused of [
    await call('POST', `${where}/upgrade`, { ...as(), body: { target_version: '1.0' } }),
    await call('GET', `${where}/preflight`, as()),
  ])
    expect([refused.status, messageOf(refused)]).toEqual([409, hint]);
});

describe('changes', () => {
  test('grow storage, never shrink it, and reserve what they add', async () => {
    await settle(idOf(await create('grows')));
    const smaller = await patch('grows', { storage_gb: 5 });
    expect([smaller.status, messageOf(smaller)]).toEqual([
      400,
      'storage_gb: storage only grows, and the cluster has 10 GB.',
    ]);
    const disk = () =>
      queryRow<{ sum: number }>(
        sql`SELECT sum(amount)::int AS sum FROM reservations WHERE project_id = ${acme.id}::uuid AND kind = 'disk_gb'`,
      );
    expect((await disk()).sum).toBe(20);
    expect((await patch('grows', { storage_gb: 15 })).status).toBe(202);
    expect((await disk()).sum).toBe(30);
    const during = await patch('grows', { storage_gb: 20 });
    expect([during.status, messageOf(during)]).toEqual([409, 'Cluster grows is updating; wait until that is done.']);
  });

  test('add members with rooms and addresses of their own, and let standbys go, never the primary', async () => {
    const id = idOf(await create('scales'));
    await settle(id);
    const more = await patch('scales', { instances: 4 });
    expect((more.body as DatabaseCluster).members.map(({ name, role }) => `${name} ${role}`)).toEqual([
      'scales-1 primary',
      'scales-2 standby',
      'scales-3 standby',
      'scales-4 standby',
    ]);
    await settle(id);
    const less = await patch('scales', { instances: 1 });
    expect((less.body as DatabaseCluster).members).toMatchObject([{ name: 'scales-1', role: 'primary' }]);
    expect(await query(sql`SELECT FROM database_members WHERE project_id = ${acme.id}::uuid AND leaving`)).toHaveLength(
      3,
    );
  });

  test('a new password is in its answer alone, and what is stored verifies it', async () => {
    const id = idOf(await create('renewed'));
    await settle(id);
    const answer = await call('POST', `${path('renewed')}/reset-password`, as());
    const { credentials, status } = answer.body as DatabaseClusterWithCredentials;
    expect([answer.status, status]).toEqual([200, 'updating']);
    const { sealed_secrets } = await queryRow<{ sealed_secrets: Buffer }>(
      sql`SELECT sealed_secrets FROM database_clusters WHERE id = ${id}::uuid`,
    );
    const { verifier } = openSecrets(id, sealed_secrets);
    const [, salt = ''] = /:(.*?)\$/.exec(verifier) ?? [];
    expect(scramVerifier(credentials.password ?? '', Buffer.from(salt, 'base64'))).toBe(verifier);
  });

  test('a switch needs a standby that has everything', async () => {
    const id = idOf(await create('switches'));
    await settle(id);
    const early = await call('POST', `${path('switches')}/failover`, as());
    expect([early.status, messageOf(early)]).toEqual([409, expect.stringContaining('caught up')]);
    await execute(sql`UPDATE database_members SET in_sync = true WHERE role = 'standby'`);
    expect((await call('POST', `${path('switches')}/failover`, as())).status).toBe(202);
    await settle(idOf(await create('alone', { instances: 1 })));
    expect((await call('POST', `${path('alone')}/failover`, as())).status).toBe(409);
  });
});

test('the verifier of a password is the one of RFC 5802', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  const salted = pbkdf2Sync('pencil', salt, 4096, 32, 'sha256');
  const client = createHmac('sha256', salted).update('Client Key').digest();
  const stored = createHash('sha256').update(client).digest('base64');
  expect(scramVerifier('pencil', salt)).toContain(`$${stored}:`);
});

test('members that run are billed by the hour, and storage for every data member, from the first start on', async () => {
  const id = idOf(await create('billed'));
  const spans = async () =>
    Object.fromEntries(
      (
        await query<{ metric: string; quantity: string }>(
          sql`SELECT metric, trim_scale(quantity)::text AS quantity FROM spans WHERE resource_id = ${id}::uuid AND ended_at IS NULL ORDER BY metric`,
        )
      ).map(({ metric, quantity }) => [metric, quantity]),
    );
  expect(await spans()).toEqual({});
  await settle(id);
  expect(await spans()).toEqual({ block_storage: '20', postgres_database: '2' });
  await execute(sql`UPDATE database_clusters SET running = 1, status = 'degraded'`);
  expect(await spans()).toEqual({ block_storage: '20', postgres_database: '1' });
  await execute(sql`UPDATE database_clusters SET status = 'deleting'`);
  expect(await spans()).toEqual({});
});

test('another tenant’s cluster does not exist', async () => {
  await create('orders');
  const other = await createProject('other');
  for (const [method, address] of [
    ['GET', path('orders')],
    ['DELETE', path('orders')],
    ['POST', `${path('orders')}/failover`],
  ] as const)
    expect((await call(method, address, as(other))).status).toBe(404);
});

test('members are kept from tenants by rules, certificates and accounts', async () => {
  const cluster = await readCluster(idOf(await create('safe')));
  const [primary, standby] = cluster?.members ?? [];
  if (!cluster || !primary || !standby) throw new Error('no members');
  const spec = await memberSpec(cluster, standby);
  const file = (name: string) => spec.files.find(({ path: one }) => one === name);
  expect(file('pg_hba.conf')?.content).toContain(`hostssl all all ${cluster.address}/32 scram-sha-256`);
  expect(file('pg_hba.conf')?.content).not.toContain('trust');
  for (const name of ['tls/key.pem', 'superuser.password', 'replication.password', 'pgpass'])
    expect([name, file(name)?.secret]).toEqual([name, true]);
  expect(JSON.stringify([spec.argv, spec.environment])).not.toContain(file('superuser.password')?.content);
  expect(file('postgresql.conf')?.content).toContain(`host=${primary.ip}`);
  expect((await endpointSpec(cluster)).files[0]?.content).toBe(
    renderEndpoint(
      {
        name: cluster.name,
        primary: primary.ip,
        members: [
          { address: primary.ip, reads: false },
          { address: standby.ip, reads: true },
        ],
      },
      enginePorts.postgres,
    ),
  );
});

test('the limits are the operator’s', () => {
  expect(settings().databaseCluster).toEqual({ vcpus: 8, ramGb: 32, storageGb: 500, instances: 5 });
});
