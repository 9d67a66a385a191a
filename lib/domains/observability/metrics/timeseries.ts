import type { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { levelOf, readIntervals } from '@/lib/core/devices/series';
import { MOST_SERIES, ParameterError } from './answer';
import { type FoundSeries, ProjectSeries } from './project-samples';
import type { Labels } from './promql/match';
import type { Resource, SampledKind } from './resources';
import * as schema from './schema';
import { MOST_POINTS, parseStep, parseTime } from './service';

type MetricType = (typeof schema.metricTypes)[number];
type Query = z.output<typeof schema.timeseriesQuery>;
type Timeseries = z.output<typeof schema.timeseries>;

/** The metrics of each type, by the end of their names, and the label that tells them apart. */
const types: Readonly<Record<MetricType, { unit: Timeseries['unit']; metrics: Readonly<Record<string, Labels>> }>> = {
  cpu: { unit: 'cores', metrics: { cpu_seconds: {} } },
  ram: { unit: 'bytes', metrics: { memory_bytes: {} } },
  network: {
    unit: 'bytes_per_second',
    metrics: { network_receive_bytes: { direction: 'receive' }, network_transmit_bytes: { direction: 'transmit' } },
  },
  disk: {
    unit: 'bytes_per_second',
    metrics: { disk_read_bytes: { direction: 'read' }, disk_write_bytes: { direction: 'write' } },
  },
};

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
  const { from, to, level, step_s } = spanOf(query, call.at);
  const { unit, metrics } = types[metric_type];
  const wanted = kinds.filter(({ kind }) => query.resource_type === undefined || kind === query.resource_type);
  const named = (kind: string, name: string) => metrics[name.slice(`nephele_${kind}_`.length)];
  const found = (
    await new ProjectSeries(call.project_id, wanted).find(
      query.resource_id === undefined ? [] : [{ label: 'resource_id', op: '=', value: query.resource_id }],
    )
  ).flatMap((series) => {
    const labels = named(series.resource.kind, series.labels.__name__ ?? '');
    return labels ? [{ ...series, labels }] : [];
  });
  if (query.resource_id !== undefined && found.length === 0) throw notFound('The resource');
  if (found.length > MOST_SERIES && query.aggregate === undefined) {
    throw invalid(`There are more than ${MOST_SERIES.toLocaleString('en')} series: name a resource, or set aggregate.`);
  }
  const rows = await readIntervals(
    call.project_id,
    found.map(({ of }) => of),
    { from, to, level, interval_s: step_s },
  );
  const values = new Map<string, Map<number, number>>();
  for (const { device_id, shape_id, position, interval, value } of rows) {
    const key = `${device_id} ${shape_id} ${position}`;
    const points = values.get(key) ?? new Map<number, number>();
    if (value !== null) points.set(interval.getTime(), value);
    values.set(key, points);
  }
  const each = merged(found, (of) => values.get(`${of.device_id} ${of.shape_id} ${of.position}`) ?? new Map());
  const series = query.aggregate === undefined ? each : aggregated(each, query.aggregate);
  const times = Array.from(
    { length: (to.getTime() - from.getTime()) / (step_s * 1000) },
    (_, index) => from.getTime() + (index + 1) * step_s * 1000,
  );
  return {
    metric_type,
    unit,
    step_s,
    series: series.map(({ resource, labels, points }) => ({
      resource: resource && { type: resource.kind, id: resource.id, name: resource.name },
      labels,
      points: times.map((time) => [new Date(time).toISOString(), points.get(time) ?? null]),
    })),
  };
}

type Points = ReadonlyMap<number, number>;
type Line = { resource: Resource | null; labels: Labels; points: Points };

/** One line for each resource and labels: a resource may have reported the same series in several shapes. */
function merged(found: readonly FoundSeries[], pointsOf: (of: FoundSeries['of']) => Points): Line[] {
  const lines = new Map<string, Line>();
  for (const { resource, labels, of } of found) {
    const key = JSON.stringify([resource.id, labels]);
    const points = new Map([...(lines.get(key)?.points ?? []), ...pointsOf(of)]);
    lines.set(key, { resource, labels, points });
  }
  return [...lines.values()];
}

/** One line for each labels, over the resources that have a value at a point. */
function aggregated(lines: readonly Line[], aggregate: NonNullable<Query['aggregate']>): Line[] {
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
function spanOf(query: Query, now: Date) {
  try {
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
    return { from: new Date(from), to: new Date(to), level, step_s };
  } catch (error) {
    if (error instanceof ParameterError) throw invalid(`${error.message}.`);
    throw error;
  }
}
