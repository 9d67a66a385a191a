import type { Metric } from '@/lib/money/metering/metrics';

/**
 * When metrics of a resource are billed, by its recorded statuses. Written by hand from what the platform promises, and
 * never from the SQL functions `billed` and `size` that metering runs: a mistake there is a difference here.
 */
export type BillingRule = {
  resource_type: string;
  metrics: readonly Metric[];
  /** Since it first had this status; absent: from its creation. */
  since?: string;
  /** A loss is known late: it ends these metrics at the earlier moment when it happened. */
  ends_when_lost?: true;
  /** In these statuses the metrics stay as they were. */
  unchanged_in?: readonly string[];
} & ({ billed_in: readonly string[]; free_in?: never } | { billed_in?: never; free_in: readonly string[] });

/** One rule for each resource type and the metrics that are billed alike; a resource that is gone costs nothing. */
export const billingRules: readonly BillingRule[] = [
  {
    resource_type: 'instance',
    metrics: ['compute_vcpu', 'compute_memory', 'gpu_slice'],
    billed_in: ['active', 'paused', 'rebooting', 'rebuilding'],
    ends_when_lost: true,
  },
  // The boot disk: from the first start, on or off.
  { resource_type: 'instance', metrics: ['block_storage'], since: 'active', free_in: ['deleting'] },
  // A volume that grows is billed in its old size until it has grown.
  {
    resource_type: 'volume',
    metrics: ['block_storage'],
    free_in: ['creating', 'deleting', 'error'],
    unchanged_in: ['resizing'],
  },
  { resource_type: 'snapshot', metrics: ['block_storage'], billed_in: ['available'] },
  { resource_type: 'image', metrics: ['image_storage'], billed_in: ['active'] },
];
