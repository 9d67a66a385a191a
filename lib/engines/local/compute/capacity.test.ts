import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { describeHost } from '../host';
import { writeRecord } from '../record';
import { serviceFile, servicesDirectory } from '../services/service-record';
import { measureCapacity } from './capacity';

const dataDir = mkdtempSync(join(tmpdir(), 'nephele-capacity-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

test('memory and vCPUs that a service was promised are not free for machines, used or not, until it is stopped', async () => {
  const host = describeHost({ dataDir });
  mkdirSync(servicesDirectory(host), { recursive: true });
  const before = await measureCapacity(host);
  expect([before.memoryMb.committed, before.vcpus.committed]).toEqual([0, 0]);
  const id = newId();
  const record = {
    id,
    uid: 1,
    program: { name: 'server', version: '1' },
    port: null,
    state: null,
    health: { kind: 'tcp', port: 80 },
    memoryMb: Math.ceil(before.memoryMb.total),
    cpuMillis: 1500,
  };
  await writeRecord(serviceFile(host, id), { ...record, power: 'running' });
  const { memoryMb, vcpus } = await measureCapacity(host);
  expect(memoryMb).toMatchObject({ committed: record.memoryMb, free: 0 });
  expect(vcpus).toEqual({ total: before.vcpus.total, committed: 2 });
  await writeRecord(serviceFile(host, id), { ...record, power: 'stopped' });
  expect(await measureCapacity(host)).toMatchObject({ vcpus: before.vcpus, memoryMb: { committed: 0 } });
});
