import type { Metric } from './metrics';

/** An amount of a metric that a resource has while it is billed: `2` vCPUs, `0.5` GB of memory, `20` GB of disk. */
export type Use = {
  metric: Metric;
  quantity: number;
  /** The part of the resource, if the metric's name is not enough: "Boot disk". */
  label?: string;
};
