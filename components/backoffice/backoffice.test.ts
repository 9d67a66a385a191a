import { expect, test } from 'vitest';
import { changedLimits, limitsOf, limitsSchema } from './limits';
import { quotaDimensions } from './quota-dimensions';
import { slugOf } from './slug-of';

test.each([
  ['Acme Corporation', 'acme-corporation'],
  ['Åcme & Sons, Ltd.', 'acme-sons-ltd'],
  ['42 Birds', 'birds'],
  ['北京', ''],
  [`a${'b'.repeat(61)} c`, `a${'b'.repeat(61)}`],
])('the slug that a name suggests is one: %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

const entry = { limit: 10, used: 3, available: 7 };
const quota = {
  project_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
  tenant_name: 'Acme',
  tenant_slug: 'acme',
  vcpus: { ...entry, unit: 'vCPUs' as const },
  ram_gb: { ...entry, limit: 256.5, unit: 'GB' as const },
  storage_tb: { ...entry, unit: 'TB' as const },
  instances: { ...entry, unit: 'VMs' as const },
  volumes: { ...entry, unit: 'Volumes' as const },
  databases: { ...entry, unit: 'Clusters' as const },
  serverless_functions: { ...entry, unit: 'Functions' as const },
  airflow_dags: { ...entry, unit: 'DAGs' as const },
  api_gateways: { ...entry, unit: 'Routes' as const },
};

test('only limits that differ are written, so that nobody else’s change is undone by the way', () => {
  const inputs = { ...limitsOf(quota), vcpus_limit: '128', ram_gb_limit: '256.50', storage_tb_limit: '0' };
  expect(changedLimits(quota, limitsOf(quota))).toEqual({});
  expect(changedLimits(quota, inputs)).toEqual({ vcpus_limit: 128, storage_tb_limit: 0 });
});

test('the form has all nine limits, and takes fractions of what is measured only', () => {
  expect(Object.keys(limitsOf(quota))).toEqual(quotaDimensions.map(({ name }) => `${name}_limit`));
  for (const { name, whole } of quotaDimensions) {
    const half = limitsSchema.safeParse({ ...limitsOf(quota), [`${name}_limit`]: '1.5' });
    expect([name, half.success]).toEqual([name, !whole]);
    expect(limitsSchema.safeParse({ ...limitsOf(quota), [`${name}_limit`]: '-1' }).success).toBe(false);
    expect(limitsSchema.safeParse({ ...limitsOf(quota), [`${name}_limit`]: '' }).success).toBe(false);
  }
});
