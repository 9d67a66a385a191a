import type { Labels } from './match';

/** One series over all steps of a query. A value counts only where `present` is 1. */
export type Series = { labels: Labels; values: Float64Array; present: Uint8Array };

/** A query that is valid, but cannot be answered: Prometheus answers 422. */
export class ExecutionError extends Error {
  override name = 'ExecutionError';
}

export const NAME = '__name__';

export const emptySeries = (labels: Labels, steps: number): Series => ({
  labels,
  values: new Float64Array(steps),
  present: new Uint8Array(steps),
});

/** The same text for the same labels, whatever their order. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(
    Object.keys(labels)
      .sort()
      .map((name) => [name, labels[name]]),
  );
}

/** The labels without these. */
export function without(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)));
}

/** These labels alone, as far as they are set. */
export function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

/** Series by the key of what a function makes of their labels, in the order of their first. */
export function groupBy(
  series: readonly Series[],
  labelsOf: (labels: Labels) => Labels,
): Map<string, { labels: Labels; members: Series[] }> {
  const groups = new Map<string, { labels: Labels; members: Series[] }>();
  for (const one of series) {
    const labels = labelsOf(one.labels);
    const key = keyOf(labels);
    const group = groups.get(key);
    if (group) group.members.push(one);
    else groups.set(key, { labels, members: [one] });
  }
  return groups;
}

/** A function of each value. The metric's name goes, because the result is another metric. */
export function mapValues(series: readonly Series[], of: (value: number, step: number) => number): Series[] {
  return unique(
    series.map(({ labels, values, present }) => ({
      labels: without(labels, [NAME]),
      values: values.map((value, step) => (present[step] === 1 ? of(value, step) : 0)),
      present,
    })),
  );
}

/** Series that differ only in time are one. @throws ExecutionError where two have a value at the same step */
export function unique(series: readonly Series[]): Series[] {
  const groups = groupBy(series, (labels) => labels);
  if (groups.size === series.length) return [...series];
  return [...groups.values()].map(({ labels, members }) => {
    const [first, ...others] = members;
    if (!first || others.length === 0) return first ?? emptySeries(labels, 0);
    const joined: Series = { labels, values: first.values.slice(), present: first.present.slice() };
    for (const { values, present } of others) {
      for (let step = 0; step < present.length; step++) {
        if (present[step] !== 1) continue;
        if (joined.present[step] === 1) throw sameLabels();
        joined.values[step] = values[step] ?? 0;
        joined.present[step] = 1;
      }
    }
    return joined;
  });
}

export const sameLabels = () => new ExecutionError('vector cannot contain metrics with the same labelset');
