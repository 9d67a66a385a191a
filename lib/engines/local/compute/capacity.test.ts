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

test('memory that a service was promised is not free for machines, used or not, until the service is stopped', async () => {
  const host = describeHost({ dataDir });
  mkdirSync(servicesDirectory(host), { recursive: true });
  const before = (await measureCapacity(host)).memoryMb;
  expect(before.committed).toBe(0);
  const id = newId();
  const record = {
    id,
    uid: 1,
    program: { name: 'server', version: '1' },
    port: null,
    state: null,
    health: { kind: 'tcp', port: 80 },
    memoryMb: Math.ceil(before.total),
  };
  await writeRecord(serviceFile(host, id), { ...record, power: 'running' });
  expect((await measureCapacity(host)).memoryMb).toMatchObject({ committed: record.memoryMb, free: 0 });
  await writeRecord(serviceFile(host, id), { ...record, power: 'stopped' });
  expect((await measureCapacity(host)).memoryMb.committed).toBe(0);
});
