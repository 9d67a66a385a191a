import { expect, test } from 'vitest';
import * as schema from './schema';

const size = { vcpus: 1, ram_gb: 1 };

test('a create takes a flavor or a size, and no half of one', () => {
  const accepts = (body: object) => schema.createCluster.safeParse({ name: 'orders', storage_gb: 10, ...body }).success;
  expect(accepts(size)).toBe(true);
  expect(accepts({ flavor_id: 'small' })).toBe(true);
  expect(accepts({ flavor_id: 'small', ...size })).toBe(false);
  expect(accepts({ vcpus: 1 })).toBe(false);
});

test.each(['ab', '-ab', 'ab-', 'Abc', 'a_b', 'a'.repeat(64)])('%s is no name of a cluster or namespace', (name) => {
  const body = { name: 'orders', storage_gb: 10, ...size };
  expect(schema.createCluster.safeParse({ ...body, name }).success).toBe(false);
  expect(schema.createCluster.safeParse({ ...body, namespace: name }).success).toBe(false);
});

test('a restore names a backup, or a cluster and a moment', () => {
  const accepts = (restore: object) =>
    schema.createCluster.safeParse({ name: 'orders', storage_gb: 10, ...size, restore }).success;
  const moment = { engine: 'postgres', namespace: 'default', name: 'orders', at: '2026-03-01T12:00:00.000Z' };
  expect(accepts({ backup_id: 'x' })).toBe(true);
  expect(accepts(moment)).toBe(true);
  expect(accepts({ backup_id: 'x', ...moment })).toBe(false);
  expect(accepts({ ...moment, at: undefined })).toBe(false);
});

test('a change changes something, and can reset a parameter', () => {
  expect(schema.changeCluster.safeParse({}).success).toBe(false);
  expect(schema.changeCluster.safeParse({ parameters: { max_connections: null } }).success).toBe(true);
});
