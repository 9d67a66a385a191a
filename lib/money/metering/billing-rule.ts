import type { Metric } from './metrics';

/**
 * When metrics of a resource are billed, by its recorded statuses. A domain writes its rules by hand from what the
 * platform promises, and never from the SQL functions `billed` and `size` that metering runs: reconciliation compares both.
 * One rule for each resource type and the metrics that are billed alike; a resource that is gone costs nothing.
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
