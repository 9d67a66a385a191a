import type { Metric } from './metrics';

/** What something will have of a metric while it is billed: `2` vCPUs, `0.5` GB of memory, `20` GB of disk. */
export type Use = {
  metric: Metric;
  quantity: number;
  /** What of the thing it is, where the metric's own name is not enough: "Boot disk". */
  label?: string;
};
