import { expect, test } from 'vitest';
import { clusterSchema, createBody, firstValues, presetsOf, stepOfField, whyNotEngine } from './cluster-values';
import type { Version } from './types';

const version = (engine: Version['engine'], name: string, more: Partial<Version> = {}): Version => ({
  engine,
  version: name,
  status: 'certified',
  default: false,
  end_of_life_at: null,
  upgrades_to: [],
  upgrades_hint: null,
  program: { name: `${engine}-${name}`, state: 'ready', hint: null },
  ...more,
});
const absent = (hint: string) => ({ program: { name: 'x', state: 'unavailable', hint } as const });

const versions = [
  version('postgres', '18', { default: true, ...absent('Install it.') }),
  version('postgres', '16'),
  version('mongodb', '8.0', { default: true, ...absent('Set MONGODB_PROGRAM.') }),
  version('valkey', '9.1', { default: true }),
];

test('a version that cannot run is never chosen, and an engine without one says what is missing', () => {
  expect(presetsOf(versions, 'postgres')).toEqual({ engine: 'postgres', version: '16', instances: '2' });
  expect(whyNotEngine(versions, 'postgres')).toBeUndefined();
  expect(whyNotEngine(versions, 'mongodb')).toBe('Set MONGODB_PROGRAM.');
  expect(whyNotEngine(versions, 'qdrant')).toBe('Not offered by this platform.');
});

test('the form begins with an engine that can run, and its body is what the API takes', () => {
  const values = { ...firstValues(versions, 'network'), name: 'orders' };
  expect(clusterSchema.parse(values)).toEqual(values);
  expect(createBody(values)).toEqual({
    name: 'orders',
    namespace: 'default',
    version: '16',
    instances: 2,
    vcpus: 1,
    ram_gb: 2,
    storage_gb: 10,
    network_id: 'network',
  });
  expect(createBody({ ...values, access: 'groups' })).toMatchObject({ security_group_ids: [] });
});

test('each field is on a step, and what no step has is for the review', () => {
  expect(stepOfField(['storage_gb'])).toBe('size');
  expect(stepOfField([])).toBe('review');
});
