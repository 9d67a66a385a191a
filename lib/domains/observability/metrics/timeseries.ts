import type { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, notFound } from '@/lib/core/api/errors';
import { endsOf, type Intervals, levelOf, readIntervals } from '@/lib/core/devices/series';
import { MOST_SERIES, ParameterError } from './answer';
import { parts, reportsType, seriesOfTypes, units } from './metric-types';
import { ProjectSeries } from './project-samples';
import type { Labels } from './promql/match';
import { type Resource, resourcesOf, type SampledKind } from './resources';
import type { MetricType } from './schema';
import * as schema from './schema';
import { MOST_POINTS, parseStep, parseTime } from './service';

type Query = z.output<typeof schema.timeseriesQuery>;
type Timeseries = z.output<typeof schema.timeseries>;

const HOUR_MS = 3_600_000;
const DEFAULT_POINTS = 240;

/** How much of something resources used over time. @throws ApiError 404 for an unknown type or resource */
export async function readTimeseries(
  call: ProjectCall,
  kinds: readonly SampledKind[],
  type: string,
  query: Query,
): Promise<Timeseries> {
  const metric_type = schema.metricTypes.find((known) => known === type);
  if (!metric_type) throw notFound('The metric type', '');
  const span = spanOf(query, call.at);
  const wanted = kinds.filter(({ kind }) => query.resource_type === undefined || kind === query.resource_type);
  const named =
    query.resource_id === undefined ? [] : [{ label: 'resource_id', op: '=' as const, value: query.resource_id }];
  const chosen = query.resource_id !== undefined || query.resource_type !== undefined;
  const found = await seriesOfTypes(new ProjectSeries(call.project_id, wanted), [metric_type], {
    matchers: named,
    inner: chosen || query.aggregate === undefined,
  });
  if (query.resource_id !== undefined && found.resources.size === 0) {
    await checkReports(call.project_id, wanted, query.resource_id, metric_type);
  }
  const each = [...found.resources.values()].flatMap((resource) =>
    parts.flatMap(({ type, labels }, part): [string, PointsOfLine][] =>
      type === metric_type ? [[`${resource.id} ${part}`, { resource, labels, points: new Map() }]] : [],
    ),
  );
  if (each.length > MOST_SERIES && query.aggregate === undefined) {
    throw invalid(`There are more than ${MOST_SERIES.toLocaleString('en')} series: name a resource, or set aggregate.`);
  }
  const lines = new Map(each);
  const rows = await readIntervals(
    call.project_id,
    { devices: [...found.resources.keys()], series: found.series },
    span,
  );
  for (const { device_id, part, interval, value } of rows) {
    if (value !== null) lines.get(`${device_id} ${part}`)?.points.set(interval.getTime(), value);
  }
  const all = [...lines.values()];
  const series = query.aggregate === undefined ? all : aggregated(all, query.aggregate);
  return {
    metric_type,
    unit: units[metric_type],
    step_s: span.interval_s,
    series: series.map(({ resource, labels, points }) => ({
      resource: resource && { type: resource.kind, id: resource.id, name: resource.name },
      labels,
      points: endsOf(span).map((time) => [new Date(time).toISOString(), points.get(time) ?? null]),
    })),
  };
}

/** A new resource has no series yet. @throws ApiError 404 if it will have none of this type */
async function checkReports(
  projectId: string,
  kinds: readonly SampledKind[],
  id: string,
  type: MetricType,
): Promise<void> {
  const resource = (await resourcesOf(projectId, kinds)).find((one) => one.id === id);
  if (!resource) {
    throw new ApiError('RESOURCE_NOT_FOUND', 'resource_id: no resource with this id reports metrics in this project.');
  }
  if (kinds.some((kind) => kind.kind === resource.kind && reportsType(kind, type))) return;
  throw new ApiError(
    'RESOURCE_NOT_FOUND',
    `resource_id: the ${resource.kind} ${resource.name} does not report ${type}.`,
  );
}

type PointsOfLine = { resource: Resource | null; labels: Labels; points: Map<number, number> };

/** One line for each labels, over the resources that have a value at a point. */
function aggregated(lines: readonly PointsOfLine[], aggregate: NonNullable<Query['aggregate']>): PointsOfLine[] {
  const groups = new Map<string, { labels: Labels; values: Map<number, number[]> }>();
  for (const { labels, points } of lines) {
    const key = JSON.stringify(labels);
    const group = groups.get(key) ?? { labels, values: new Map<number, number[]>() };
    for (const [time, value] of points) group.values.set(time, [...(group.values.get(time) ?? []), value]);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ labels, values }) => ({
    resource: null,
    labels,
    points: new Map([...values].map(([time, all]) => [time, reductions[aggregate](all)])),
  }));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const reductions = {
  sum,
  avg: (values: readonly number[]) => sum(values) / values.length,
  max: (values: readonly number[]) => Math.max(...values),
};

/** Complete intervals of the span, at a step that the kept samples can fill. */
function spanOf(query: Query, now: Date): Intervals {
  return refusingParameters(() => {
    const end = query.end === undefined ? now.getTime() : parseTime('end', query.end);
    const start = query.start === undefined ? end - HOUR_MS : parseTime('start', query.start);
    if (end <= start) throw new ParameterError('invalid parameter "end": must be after start');
    const level = levelOf(new Date(start), now);
    const wanted_ms = query.step === undefined ? (end - start) / DEFAULT_POINTS : parseStep(query.step);
    // Samples come a little early or late: an interval of two has at least one.
    const least_s = level === 15 ? 30 : level;
    const step_s = Math.ceil(Math.max(wanted_ms / 1000, least_s) / least_s) * least_s;
    const step_ms = step_s * 1000;
    const [from, to] = [Math.floor(start / step_ms) * step_ms, Math.floor(end / step_ms) * step_ms];
    if ((to - from) / step_ms > MOST_POINTS) throw new ParameterError('more than 11,000 points: choose a longer step');
    return { from: new Date(from), to: new Date(to), level, interval_s: step_s };
  });
}

/** The result of `read`, whose errors in parameters become the platform’s own. @throws ApiError 400 */
export function refusingParameters<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParameterError) throw invalid(`${error.message}.`);
    throw error;
  }
}
