import { expect, test } from 'vitest';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { api, createUser } from '@/lib/testing/world';
import { reportEngine } from './service';

testDatabase();

test('the back office shows the latest report of each engine, and pages get hints only about changes', async () => {
  const { token } = await createUser('root@example.test', 'backoffice');
  const hints = async () => (await query(sql`SELECT FROM changes WHERE topic = 'engine'`)).length;
  const list = async () => (await api()('GET', '/admin/api/v1/engines', { token })).body;

  await reportEngine('test-host', { engine: 'compute', status: 'unavailable', message: 'Install qemu-system-x86.' });
  await reportEngine('test-host', { engine: 'compute', status: 'available', message: 'KVM.', details: { vcpus: 2 } });
  await reportEngine('test-host', { engine: 'compute', status: 'available', message: 'KVM.', details: { vcpus: 2 } });
  expect(await hints()).toBe(2);
  const report = {
    host_id: 'test-host',
    engine: 'compute',
    status: 'available',
    message: 'KVM.',
    details: { vcpus: 2 },
  };
  expect(await list()).toMatchObject([{ ...report, silent: false }]);

  await execute(sql`UPDATE engine_reports SET updated_at = platform_now() - interval '6 minutes'`);
  expect(await list()).toMatchObject([{ ...report, silent: true }]);
  await reportEngine('test-host', { engine: 'compute', status: 'available', message: 'KVM.', details: { vcpus: 2 } });
  expect(await list()).toMatchObject([{ silent: false }]);
  expect(await hints()).toBe(2);
});
