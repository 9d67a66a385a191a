import { domainPortals } from '@/lib/client/domains';
import type { MetricInfo } from './units';

/** Names of resource types have several words. */
const resourceTypes = domainPortals.flatMap(({ topics }) => Object.keys(topics));

export const aggregates = ['none', 'sum', 'avg', 'min', 'max'] as const;
export type Aggregate = (typeof aggregates)[number];

/** What someone chose in place of writing PromQL. */
export interface MetricChoice {
  metric: Pick<MetricInfo, 'name' | 'type'>;
  /** IDs; all resources if empty. */
  resources: readonly string[];
  aggregate: Aggregate;
}

/** Samples come every 15 s: a minute has enough of them for a rate. */
const SHORTEST_S = 60;

/** The query of a choice. Counters are shown as their rate over a step. */
export function promqlOf({ metric, resources, aggregate }: MetricChoice, step_s: number): string {
  const ids = resources.length > 1 ? `{resource_id=~"${resources.join('|')}"}` : `{resource_id="${resources[0]}"}`;
  const selector = `${metric.name}${resources.length === 0 ? '' : ids}`;
  const values = metric.type === 'counter' ? `rate(${selector}[${Math.max(SHORTEST_S, 2 * step_s)}s])` : selector;
  return aggregate === 'none' ? values : `${aggregate}(${values})`;
}

/** The type of resource that a metric is of: `nephele_load_balancer_…` is of `load_balancer`. */
export function kindOf(metric: string): string {
  const rest = metric.replace(/^nephele_/, '');
  const known = resourceTypes.filter((type) => rest.startsWith(`${type}_`));
  // The longest fits best: a load balancer is no "load".
  return known.toSorted((one, other) => other.length - one.length)[0] ?? rest.split('_')[0] ?? rest;
}

/** The types of resources that report metrics, in the order of their first metric. */
export function kindsOf(metrics: readonly Pick<MetricInfo, 'name'>[]): string[] {
  return [...new Set(metrics.map(({ name }) => kindOf(name)))];
}

/** `nephele_instance_cpu_seconds` → `cpu seconds` */
export function shortName(metric: string, kind: string): string {
  return metric.replace(`nephele_${kind}_`, '').replaceAll('_', ' ');
}
