import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
let globex: TestProject;
beforeAll(() => createCell());
beforeEach(async () => {
  useMemoryEngines();
  [acme, globex] = [await createProject('acme'), await createProject('globex')];
});

const portRow = async (project: TestProject, device_id: string) => ({
  id: newId(),
  project_id: project.id,
  network_id: await defaultNetwork(project),
  device_id,
  mac: '02:00:00:00:00:01',
  attachment: 'veth',
  hostname: 'node',
  ip: '10.0.0.99',
  created_at: new Date(),
  updated_at: new Date(),
});

test('the database refuses a port or sample for another tenant’s device', async () => {
  const theirs = idOf(await launch(call, globex));
  await expect(prisma().port.create({ data: await portRow(acme, theirs) })).rejects.toThrow(
    'ports_project_id_device_id_fkey',
  );
  await prisma().port.create({ data: await portRow(globex, theirs) });
  const shape = await prisma().metricShape.create({ data: { key: 'of this test', series: [] } });
  const sample = { at: new Date(), device_id: theirs, shape_id: shape.id, values: [] };
  await expect(prisma().deviceSample.create({ data: { ...sample, project_id: acme.id } })).rejects.toThrow(
    'device_samples_project_id_device_id_fkey',
  );
  await prisma().deviceSample.create({ data: { ...sample, project_id: globex.id } });
});

test('the database refuses an instance without a device, and the removal of a device before its instance', async () => {
  const id = idOf(await launch(call, acme));
  const { id: _, ...row } = await prisma().instance.findFirstOrThrow({ where: { id } });
  await expect(prisma().instance.create({ data: { ...row, id: newId() } })).rejects.toThrow(
    'instances_project_id_id_fkey',
  );
  await expect(prisma().device.deleteMany({ where: { id } })).rejects.toThrow('fkey');
});
