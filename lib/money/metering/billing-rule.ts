import type { Metric } from './metrics';

/**
 * Defines when metrics of a resource are billed, by its recorded statuses. Domains write these rules by hand from the
 * contract, never from the SQL functions `billed` and `size` that metering uses: reconciliation compares the two. One
 * rule per resource type and group of metrics that are billed alike; a deleted resource costs nothing.
 */
export type BillingRule = {
  resource_type: string;
  metrics: readonly Metric[];
  /** Billed since it first had this status; default: since its creation. */
  since?: string;
  /** Losses are noticed late: billing of these metrics ends at the earlier moment of the loss. */
  ends_when_lost?: true;
  /** Statuses in which the metrics keep their values. */
  unchanged_in?: readonly string[];
} & ({ billed_in: readonly string[]; free_in?: never } | { billed_in?: never; free_in: readonly string[] });
