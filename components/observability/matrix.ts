import type { TimeWindow } from '@/components/kit/charts/time-range';

/** Values over time, as Loki and Prometheus return them. */
export interface Matrix {
  step_s: number;
  /** The first and the last moment of the query. */
  shown: TimeWindow;
  /** Values are pairs of Unix seconds and a number as text. */
  result: readonly { metric: Readonly<Record<string, string>>; values: readonly (readonly (number | string)[])[] }[];
}

export interface Line {
  label: string;
  metric: Readonly<Record<string, string>>;
  values: readonly (number | null)[];
}

/** The series on the moments of the query; where a series has no value, it has a gap. */
export function linesOf({ step_s, shown, result }: Matrix): { times: number[]; lines: Line[] } {
  const step = step_s * 1000;
  const count = Math.floor((shown.to - shown.from) / step) + 1;
  const times = Array.from({ length: count }, (_, position) => shown.from + position * step);
  const labels = labelsOf(result.map(({ metric }) => metric));
  const lines = result.map(({ metric, values }, index) => {
    const points = new Map(
      values.map(([at, value]) => [Math.round((Number(at) * 1000 - shown.from) / step), Number(value)]),
    );
    const known = times.map((_, position) => {
      const value = points.get(position);
      return value === undefined || !Number.isFinite(value) ? null : value;
    });
    return { label: labels[index] ?? '', metric, values: known };
  });
  return { times, lines };
}

/** Names of series: what tells them apart, the resource first. */
export function labelsOf(metrics: readonly Readonly<Record<string, string>>[]): string[] {
  const shared = (name: string) => metrics.length > 1 && metrics.every((metric) => metric[name] === metrics[0]?.[name]);
  return metrics.map((metric) => {
    const { resource_name: resource, __name__: name, ...others } = metric;
    // The ID repeats the name, unless two resources have the same one.
    const twice = metrics.some(
      (other) => other !== metric && other.resource_name === resource && resource !== undefined,
    );
    const hidden = ['project', ...(resource === undefined ? [] : ['service', ...(twice ? [] : ['resource_id'])])];
    const kept = Object.entries(others).filter(([label]) => !hidden.includes(label) && !shared(label));
    const rest = kept.map(([label, value]) => `${label}="${value}"`).join(', ');
    const parts = [shared('resource_name') ? undefined : resource, shared('__name__') ? undefined : name];
    const label = [...parts.filter(Boolean), rest && `{${rest}}`].filter(Boolean).join(' ');
    return label || resource || name || 'Value';
  });
}

/** Labels of the resource itself, the same in all of its series. */
const ofResource = ['__name__', 'project', 'service', 'resource_id', 'resource_name'];

/** The name of a series among those of one resource: the values of the labels that differ, or the resource's name. */
export function nameWithin(
  metric: Readonly<Record<string, string>>,
  metrics: readonly Readonly<Record<string, string>>[],
): string {
  const own = Object.entries(metric).filter(
    ([name, value]) => !ofResource.includes(name) && metrics.some((other) => other[name] !== value),
  );
  return own.map(([, value]) => value).join(', ') || metric.resource_name || '';
}

export interface Summary {
  last: number | null;
  min: number | null;
  max: number | null;
  avg: number | null;
}

/** The known values of a line in brief. */
export function summaryOf({ values }: Pick<Line, 'values'>): Summary {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { last: null, min: null, max: null, avg: null };
  return {
    last: known.at(-1) ?? null,
    min: known.reduce((least, value) => Math.min(least, value)),
    max: known.reduce((most, value) => Math.max(most, value)),
    avg: known.reduce((sum, value) => sum + value, 0) / known.length,
  };
}
