import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { ownCell } from '@/lib/settings';
import { options } from '@/lib/testing/balancer-world';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { createCell } from '@/lib/testing/hosts';
import { speakTo } from '@/lib/testing/line-client';
import { idOf } from '@/lib/testing/machines';
import { connectMongodb } from '@/lib/testing/mongodb-connection';
import { connectQdrant } from '@/lib/testing/qdrant-connection';
import { connectValkey } from '@/lib/testing/valkey-connection';
import { enginePorts } from './ports';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();
type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Cluster = DatabaseClusterWithCredentials;

/** Clients on this host, outside of all tenants' networks. */
const outside: Pick<World, 'inTenantNetwork'> = {
  inTenantNetwork: async (program, client) => ({
    argv: [process.execPath, '--import', 'tsx', program],
    env: { ...process.env, CLIENT: JSON.stringify(client) },
  }),
};

/** Of each engine: what its client finds after it has written something, or an error. */
const engines = [
  {
    engine: 'mysql',
    program: 'mariadb',
    version: '11.8',
    async writes({ endpoint, credentials }: Cluster): Promise<unknown> {
      const { host = '', port, ca_certificate: ca = '' } = endpoint ?? {};
      const { username: user, password, database } = credentials;
      const address = {
        host,
        port,
        user,
        password,
        database,
        ssl: { ca, rejectUnauthorized: true },
      };
      const { argv, env } = await outside.inTenantNetwork('lib/testing/mariadb-client.ts', address);
      const folder = mkdtempSync(join(tmpdir(), 'neph-mariadb-'));
      writeFileSync(join(folder, 'ca.pem'), ca);
      const identity = ['lib/testing/mariadb-identity.py', host, String(port), join(folder, 'ca.pem')];
      const proof = await promisify(execFile)('python3', identity).catch(({ stderr }) => ({ stdout: String(stderr) }));
      const client = speakTo(argv, env, folder);
      const statements = [
        'CREATE TABLE IF NOT EXISTS kept (n int)',
        'DELETE FROM kept',
        'INSERT INTO kept VALUES (7)',
        'SELECT n FROM kept',
      ];
      const found = await client.ask<{ rows?: unknown[]; error?: string }[]>({ kind: 'run', statements });
      client.end();
      return [proof.stdout.trim(), found.at(-1)];
    },
    finds: ['TLSv1.3', { rows: [{ n: 7 }] }],
  },
  {
    engine: 'valkey',
    program: 'valkey',
    version: '9.1',
    async writes(cluster: Cluster): Promise<unknown> {
      const client = await connectValkey(outside, cluster);
      const found = await client.run(['SET', 'key', 'kept'], ['GET', 'key']);
      client.end();
      return found;
    },
    finds: ['OK', 'kept'],
  },
  {
    engine: 'qdrant',
    program: 'qdrant',
    version: '0.9',
    async writes({ endpoint, credentials }: Cluster): Promise<unknown> {
      const address = { uri: endpoint?.uri, key: credentials.api_key, ca: endpoint?.ca_certificate };
      const client = await connectQdrant(outside, address);
      const made = await client.ask({ kind: 'create', collection: 'kept', size: 4 });
      const found = [made, await client.ask({ kind: 'list' })];
      client.end();
      return found;
    },
    finds: [true, ['kept']],
  },
  {
    engine: 'mongodb',
    program: 'mongodb',
    version: '0.7',
    async writes(cluster: Cluster): Promise<unknown> {
      const client = await connectMongodb(outside, cluster);
      const ping = await client.ask({ kind: 'ping' });
      const found = [ping, await client.ask({ kind: 'insert', count: 3 })];
      client.end();
      return found;
    },
    finds: [
      expect.not.objectContaining({ error: expect.anything() }),
      expect.not.objectContaining({ error: expect.anything() }),
    ],
  },
] as const;

describe.each(engines)('a cluster of $engine', async ({ engine, program, version, writes, finds }) => {
  const trouble = await databaseTrouble([version], program);
  if (trouble !== null && process.env.CI) throw new Error(trouble);
  let world: World | undefined;
  afterAll(() => world?.stop(), 120_000);

  test.skipIf(trouble !== null)(
    `is reached from outside by its floating IP once a rule allows it, with its CA${trouble ? ` (skipped: ${trouble})` : ''}`,
    async () => {
      world = await startDatabaseWorld(engine);
      const { call, as } = world;
      const post = async (path: string, body: object) => {
        const answer = await call('POST', path, { ...as, body });
        if (answer.status >= 300) throw new Error(answer.text);
        return answer;
      };
      const cluster = await world.create({ name: 'orders', version });
      const ranges = await openLocalEngine(options).network.floatingIpRanges();
      await createCell(ownCell(), { memory_mb: 20_000, ranges });
      const floating = await post('/network/floating-ips', {});
      await post(`/network/floating-ips/${idOf(floating)}/associate`, { port_id: cluster.port_id });
      const { address } = floating.body as { address: string };
      const host = cluster.endpoint?.host ?? '';
      const byAddress: Cluster = {
        ...cluster,
        endpoint: cluster.endpoint && {
          ...cluster.endpoint,
          host: address,
          // By a floating IP, drivers are not sent on to the address on the network.
          uri: cluster.endpoint.uri.replace(host, address).replace(/replicaSet=\w+/, 'directConnection=true'),
        },
      };
      const reached = async () => {
        const socket = await fetch(`http://${address}:${enginePorts[engine].serving}/`, {
          signal: AbortSignal.timeout(1_000),
        }).catch((error: unknown) => (error instanceof Error && error.name === 'TimeoutError' ? null : 'answered'));
        return socket !== null;
      };
      expect(await reached()).toBe(false);

      const group = await post('/network/security-groups', { name: 'outside' });
      const port = enginePorts[engine].serving;
      const rule = await post(`/network/security-groups/${idOf(group)}/rules`, {
        direction: 'ingress',
        protocol: 'tcp',
        port_range_min: port,
        port_range_max: port,
        cidr: '0.0.0.0/0',
      });
      const changed = await call('PATCH', world.paths('orders'), {
        ...as,
        body: { security_group_ids: [idOf(group)] },
      });
      expect([changed.status, changed.text]).toEqual([202, expect.anything()]);
      await world.untilIs('orders', 'available');
      expect(await world.read('orders')).toMatchObject({ floating_ip: address });
      await vi.waitFor(async () => expect(await reached()).toBe(true), { timeout: 60_000, interval: 200 });
      // Its certificate names the address as soon as its process has read it.
      await vi.waitFor(async () => expect(await writes(byAddress)).toEqual(finds), { timeout: 90_000, interval: 500 });
      expect((await call('DELETE', `/network/security-groups/rules/${idOf(rule)}`, as)).status).toBe(204);
      await vi.waitFor(async () => expect(await reached()).toBe(false), { timeout: 60_000, interval: 200 });
    },
    300_000,
  );
});
