import { beforeAll, expect, test } from 'vitest';
import { reportEngine } from '@/lib/hosts/engine-reports/service';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { holds, testResource } from '@/lib/testing/money';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { CatalogEntry } from './catalog-schema';

testDatabase();
const call = api();
let acme: TestProject;

beforeAll(async () => {
  acme = await createProject('acme');
});

async function service(id: string): Promise<CatalogEntry | undefined> {
  const { body } = await call('GET', '/services/services', { token: acme.users.reader.token });
  return (body as CatalogEntry[]).find((entry) => entry.id === id);
}

test('a service is subscribed while the project has a resource of it', async () => {
  expect(await service('secrets')).toMatchObject({
    status: 'available',
    status_reason: null,
    resources: 0,
    engine: null,
  });
  const body = { name: 'token', type: 'opaque', payload: 'x' };
  const created = await call('POST', '/vault/secrets', { token: acme.users.member.token, body });
  expect(await service('secrets')).toMatchObject({ status: 'subscribed', resources: 1 });
  await call('DELETE', `/vault/secrets/${(created.body as { id: string }).id}`, { token: acme.users.member.token });
  expect(await service('secrets')).toMatchObject({ status: 'available', resources: 0 });
});

test('a service whose engine runs on no host is unavailable, with the reason', async () => {
  const report = { engine: 'storage', status: 'unavailable', message: 'qemu-img is not installed.' } as const;
  const [one, other] = [await createCell('one'), await createCell('other')];
  await reportEngine(one, report);
  expect(await service('volumes')).toMatchObject({
    status: 'unavailable',
    status_reason: 'qemu-img is not installed.',
  });
  await reportEngine(other, { ...report, status: 'available', message: '' });
  expect(await service('volumes')).toMatchObject({ status: 'available', status_reason: null, engine: 'storage' });
});

test('a service says how many of its resources a project may have', async () => {
  const { loadBalancersPerProject: most } = settings();
  expect(await service('load_balancers')).toMatchObject({ limit: { most, setting: 'LOAD_BALANCERS_PER_PROJECT' } });
  expect(await service('instances')).toMatchObject({ limit: null });
});

test('a service has the costs of its resources this month, of deleted ones too', async () => {
  await holds(testResource(acme.id), 'compute_vcpu', '1000');
  expect((await service('instances'))?.month_to_date_usd).toBeGreaterThan(0);
  expect(await service('instances')).toMatchObject({ resources: 0, metrics: expect.arrayContaining(['compute_vcpu']) });
});
