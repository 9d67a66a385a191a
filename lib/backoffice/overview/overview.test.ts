import { expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { forgetSettings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, createUser } from '@/lib/testing/world';

testDatabase();
const call = api();

async function operation(status: string, finished_at: Date | null = null) {
  const at = new Date();
  const base = { id: newId(), kind: 'test.kind', resource_type: 'test', resource_id: newId(), stage: 'one', input: {} };
  await prisma().operation.create({
    data: {
      ...base,
      scope: 'platform',
      status,
      finished_at,
      run_at: at,
      deadline_at: at,
      created_at: at,
      updated_at: at,
    },
  });
}

async function engine(engine: string, status: string, updated_at = new Date()) {
  await prisma().engineReport.create({ data: { cell_id: 'h1', engine, status, message: '', details: {}, updated_at } });
}

test('the overview counts each existing thing once, with exact sums', async () => {
  const { token } = await createUser('root@example.test', 'backoffice');
  const read = () => call('GET', '/admin/api/v1/overview', { token });
  const unit = { vcpus: 'vCPUs', ram_gb: 'GB', storage_tb: 'TB' };
  const none = { used: 0, limit: 0 };
  expect((await read()).body).toEqual({
    tenants: { total: 0, active: 0, suspended: 0 },
    users: { total: 1, administrators: 1 },
    operations: { pending: 0, running: 0, failed: 0, failed_last_day: 0 },
    engines: { available: 0, degraded: 0, unavailable: 0, silent: 0 },
    payments: { failed: 0, failed_usd: 0, taken_back: 0, owed_usd: 0 },
    shared_sites: [],
    allocation: {
      vcpus: { ...none, unit: unit.vcpus },
      ram_gb: { ...none, unit: unit.ram_gb },
      storage_tb: { ...none, unit: unit.storage_tb },
    },
  });

  const [one, two] = [await createProject('one'), await createProject('two')];
  await prisma().project.update({ where: { id: two.id }, data: { status: 'suspended', suspended_at: new Date() } });
  for (const { id } of [one, two]) {
    const used = { vcpus_used: '2', ram_gb_used: '0.1', storage_tb_used: '0.000001' };
    await prisma().projectAccount.update({ where: { project_id: id }, data: used });
  }
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  for (const status of ['pending', 'running', 'running', 'succeeded', 'cancelled']) await operation(status);
  await operation('failed', new Date());
  await operation('failed', twoDaysAgo);
  await engine('compute', 'available');
  await engine('network', 'degraded');
  await engine('storage', 'unavailable');
  await engine('images', 'available', twoDaysAgo);

  const full = await read();
  expect(full.body).toMatchObject({
    tenants: { total: 2, active: 1, suspended: 1 },
    users: { total: 7, administrators: 1 },
    operations: { pending: 1, running: 2, failed: 2, failed_last_day: 1 },
    engines: { available: 1, degraded: 1, unavailable: 1, silent: 1 },
  });
  expect(full.text).toContain('"ram_gb":{"used":0.2,"limit":512.0,"unit":"GB"}');
  expect(full.text).toContain('"storage_tb":{"used":0.000002,"limit":10.0,"unit":"TB"}');
});

test('says when pages of tenants are on the site of the portal', async () => {
  const { token } = await createUser('second@example.test', 'backoffice');
  const before = { ...process.env };
  Object.assign(process.env, {
    BASE_URL: 'https://cloud.example.org',
    GATEWAY_DOMAIN: 'apps.example.org',
    GATEWAY_SAME_SITE: 'true',
  });
  forgetSettings();
  try {
    expect((await call('GET', '/admin/api/v1/overview', { token })).body).toMatchObject({
      shared_sites: ['GATEWAY_DOMAIN'],
    });
  } finally {
    for (const name of ['BASE_URL', 'GATEWAY_DOMAIN', 'GATEWAY_SAME_SITE']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    forgetSettings();
  }
});
