import type { Category } from './categories';

/**
 * All metrics and their pricing (spec 2.5). `hour` and `month`: held over time, metered in quantity-seconds; `count`:
 * counted events. `unit_share` is the exact part of a priced unit that one metered unit is; bytes are metered as bytes,
 * and a GB is 1024³ of them, as in quotas. The table `metrics` has the same data for SQL (a test compares them).
 */
export const metrics = {
  compute_vcpu: { label: 'vCPU', category: 'compute', basis: 'hour', unit_share: '1', unit: 'vCPU-hour' },
  compute_memory: { label: 'Memory', category: 'compute', basis: 'hour', unit_share: '1', unit: 'GB-hour' },
  gpu_slice: { label: 'GPU slices', category: 'compute', basis: 'hour', unit_share: '1', unit: 'slice-hour' },
  block_storage: { label: 'Block storage', category: 'storage', basis: 'month', unit_share: '1', unit: 'GB-month' },
  object_storage: {
    label: 'Object storage',
    category: 'storage',
    basis: 'month',
    unit_share: '0.000000000931322574615478515625',
    unit: 'GB-month',
  },
  image_storage: {
    label: 'Image storage',
    category: 'storage',
    basis: 'month',
    unit_share: '0.000000000931322574615478515625',
    unit: 'GB-month',
  },
  network_egress: {
    label: 'Network egress',
    category: 'network',
    basis: 'count',
    unit_share: '0.000000000931322574615478515625',
    unit: 'GB',
  },
  postgres_database: {
    label: 'PostgreSQL',
    category: 'databases',
    basis: 'hour',
    unit_share: '1',
    unit: 'instance-hour',
  },
  valkey_database: { label: 'Valkey', category: 'databases', basis: 'hour', unit_share: '1', unit: 'instance-hour' },
  mysql_database: { label: 'MySQL', category: 'databases', basis: 'hour', unit_share: '1', unit: 'instance-hour' },
  mongodb_database: { label: 'MongoDB', category: 'databases', basis: 'hour', unit_share: '1', unit: 'instance-hour' },
  qdrant_database: { label: 'Qdrant', category: 'databases', basis: 'hour', unit_share: '1', unit: 'instance-hour' },
  function_invocations: {
    label: 'Function invocations',
    category: 'functions',
    basis: 'count',
    unit_share: '0.00001',
    unit: '100K calls',
  },
  ai_prompt_tokens: {
    label: 'Prompt tokens',
    category: 'ai',
    basis: 'count',
    unit_share: '0.000001',
    unit: '1M tokens',
  },
  ai_completion_tokens: {
    label: 'Completion tokens',
    category: 'ai',
    basis: 'count',
    unit_share: '0.000001',
    unit: '1M tokens',
  },
} as const satisfies Record<string, MetricFacts>;

export type MetricFacts = {
  label: string;
  category: Category;
  basis: 'hour' | 'month' | 'count';
  unit_share: string;
  /** The unit on the rate card. */
  unit: string;
};
export type Metric = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as [Metric, ...Metric[]];
