import { afterEach, describe, expect, test } from 'vitest';
import { closePool, execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { reportEngine } from '@/lib/hosts/engine-reports/service';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { app } from './app';

testDatabase();

const get = (path: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  app.fetch(new Request(`http://localhost${path}`, { headers }), { incoming: { socket: { remoteAddress } } });

describe('metrics', () => {
  const status = async (headers: Record<string, string>, address?: string) =>
    (await get('/metrics', headers, address)).status;

  test.each(['localhost', 'localhost:3000', 'LOCALHOST:3000', '127.0.0.1:3000', '127.0.0.2', '[::1]:3000'])(
    'can be read on this machine as %s',
    async (host) => expect(await status({ host })).toBe(200),
  );

  test.each([
    'attacker.test',
    'attacker.test:3000',
    'localhost.attacker.test',
    '10.0.0.5:3000',
    '127.0.0.1.nip.test',
    '',
  ])('cannot be read through a local browser by a site called %j', async (host) =>
    expect(await status({ host })).toBe(403),
  );

  test('cannot be read from another machine, or through a proxy on this one', async () => {
    expect(await status({ host: 'localhost' }, '10.0.0.5')).toBe(403);
    expect(await status({ host: 'localhost', 'x-forwarded-for': '10.0.0.5' })).toBe(403);
  });
});

describe('readiness', () => {
  afterEach(closePool);

  test('lists engines without hosts, paths and details for operators', async () => {
    const message = `Nothing can be written to ${settings().dataDir}/engine.`;
    await reportEngine('test-host', {
      engine: 'compute',
      status: 'unavailable',
      message,
      details: { root: settings().dataDir },
    });
    const answer = await get('/readyz', {}, '198.51.100.7');
    expect(answer.status).toBe(200);
    const engines = [{ engine: 'compute', status: 'unavailable', silent: false }];
    expect(await answer.json()).toEqual({ status: 'ok', database: 'ok', engines });
  });

  test('shows the level of each limit without its text, which may contain paths', async () => {
    const limits = [
      { limit: 'memory', level: 'enforced', how: 'cgroup.' },
      { limit: 'namespaces', level: 'refused', how: `Nothing can be mounted in ${settings().dataDir}.` },
    ];
    await reportEngine('test-host', {
      engine: 'services',
      status: 'unavailable',
      message: '',
      details: { missing: [], limits },
    });
    const { engines } = await (await get('/readyz', {}, '198.51.100.7')).json();
    expect(engines).toContainEqual({
      engine: 'services',
      status: 'unavailable',
      silent: false,
      limits: { memory: 'enforced', namespaces: 'refused' },
    });
  });

  test('is refused with Retry-After while a migration is missing', async () => {
    await execute(sql`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name LIKE '%_foundation'`);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ database: expect.stringContaining('foundation') });
  });
});
