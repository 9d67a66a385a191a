import { afterEach, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { api } from '@/lib/testing/world';
import { bootstrap } from './bootstrap';

testDatabase();
const call = api();
afterEach(async () => {
  // Bypasses the triggers that protect invoices and the like from deletion.
  await execute(sql`DO $$ BEGIN
    SET LOCAL session_replication_role = replica;
    TRUNCATE users, projects, audit_entries CASCADE;
  END $$`);
});

describe('the first start', () => {
  test('creates the administrator, and a demo project whose admin can sign in with the shown password', async () => {
    const { created, accounts } = await bootstrap(settings());
    expect(created).toBe(true);
    expect(accounts.map(({ email }) => email)).toEqual(['admin@nephele.local', 'owner@demo.nephele.local']);
    const [administrator, owner] = accounts;
    expect(administrator?.password).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/);
    expect(owner?.password).not.toBe(administrator?.password);
    const login = await call('POST', '/auth/login', { body: { email: owner?.email, password: owner?.password } });
    const { access_token: token } = login.body as { access_token: string };
    const me = await call('GET', '/auth/me', { token });
    expect(me.body).toMatchObject({ project: { project_name: 'Demo', project_slug: 'demo', role: 'admin' } });
    const quota = await call('GET', '/tenant/quota', { token });
    expect(quota.body).toMatchObject({ tenant_slug: 'demo', vcpus: { limit: 64, used: 0 } });
    const row = await prisma().user.findUniqueOrThrow({ where: { email: 'admin@nephele.local' } });
    expect(row.administrator).toBe(true);
  });

  test('uses the operator’s passwords', async () => {
    const given = { bootstrapAdminPassword: 'given-admin', bootstrapTenantPassword: 'given-owner' };
    const { accounts } = await bootstrap(given);
    expect(accounts.map(({ password }) => password)).toEqual(['given-admin', 'given-owner']);
    const body = { email: 'owner@demo.nephele.local', password: 'given-owner' };
    expect((await call('POST', '/auth/login', { body })).status).toBe(200);
  });

  test('by several processes at once happens once', async () => {
    const starts = await Promise.all(Array.from({ length: 4 }, () => bootstrap(settings())));
    expect(starts.filter(({ created }) => created)).toHaveLength(1);
    expect(starts.filter(({ accounts }) => accounts.length > 0)).toHaveLength(1);
    expect([await prisma().user.count(), await prisma().project.count()]).toEqual([2, 1]);
  });
});

test('later starts change nothing, whatever the settings', async () => {
  await bootstrap(settings());
  const before = await prisma().user.findMany({ orderBy: { email: 'asc' } });
  expect(await bootstrap({ bootstrapAdminPassword: 'another one', bootstrapTenantPassword: 'another one' })).toEqual({
    created: false,
    accounts: [],
  });
  expect(await prisma().user.findMany({ orderBy: { email: 'asc' } })).toEqual(before);
});
