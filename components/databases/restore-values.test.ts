import { expect, test } from 'vitest';
import { restoreBody, restoreSchema, restoreValues } from './restore-values';
import type { Backup, Cluster } from './types';

const origin = { engine: 'postgres', namespace: 'team', name: 'orders', version: '16', storage_gb: 20 } as const;
const backup = { ...origin, id: 'b1', ram_gb: 4 } as Backup;
const cluster = {
  ...origin,
  vcpus: 2,
  ram_gb: 4,
  instances: 3,
  network_id: 'n1',
  restore_window: { from: '2026-11-20T00:00:00.500Z', until: '2026-11-24T11:59:50.000Z' },
} as Cluster;

test('a backup is restored to a new cluster with at least its storage and memory', () => {
  const values = restoreValues({ backup });
  expect(values).toMatchObject({ name: 'orders-restored', storage_gb: '20', size: '1x4', at: '' });
  expect(restoreBody({ backup }, values)).toMatchObject({ namespace: 'team', restore: { backup_id: 'b1' } });
  expect(restoreSchema({ backup }).safeParse({ ...values, storage_gb: '19' }).success).toBe(false);
});

test('a moment is restored as large as the cluster, and only within its window', () => {
  const source = { cluster, at: new Date('2026-11-22T10:00:00.000Z') };
  const values = restoreValues(source);
  expect(values).toMatchObject({ instances: '3', size: '2x4' });
  expect(restoreBody(source, values)).toMatchObject({
    network_id: 'n1',
    restore: { engine: 'postgres', namespace: 'team', name: 'orders', at: '2026-11-22T10:00:00.000Z' },
  });
  const accepts = (at: Date) => {
    const { at: typed } = restoreValues({ cluster, at });
    return restoreSchema(source).safeParse({ ...values, at: typed }).success;
  };
  expect(accepts(new Date(cluster.restore_window?.from ?? ''))).toBe(true);
  expect(accepts(new Date(cluster.restore_window?.until ?? ''))).toBe(true);
  expect(accepts(new Date('2026-11-19T23:00:00.000Z'))).toBe(false);
  expect(accepts(new Date('2026-11-24T12:30:00.000Z'))).toBe(false);
});
