import { beforeAll, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { Flavor } from './schema';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

test('a flavor is found by its name, a part of it, and whether it is still offered', async () => {
  await prisma().flavor.updateMany({ where: { name: 'large' }, data: { status: 'deprecated' } });
  const names = async (query: string) => {
    const { body } = await call('GET', `/compute/flavors?${query}`, { token: acme.users.reader.token });
    return (body as Flavor[]).map(({ name }) => name);
  };
  expect(await names('name=nano')).toEqual(['nano']);
  expect(await names('name=nan')).toEqual([]);
  expect(await names('search=AN')).toEqual(['nano']);
  expect(await names('status=deprecated')).toEqual(['large']);
  expect(await names('status=active')).not.toContain('large');
});
