import type { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { endsOf, type Intervals, type Level, levelOf, readTotals, type TotalRow } from '@/lib/core/devices/series';
import { type Domain, none } from '@/lib/core/domains/domain';
import { incidentsOfProject } from '@/lib/core/incidents/service';
import { countLines } from '../logs/count';
import { readerOf } from '../logs/service';
import { ParameterError } from './answer';
import { parts, seriesOfTypes } from './metric-types';
import { ProjectSeries } from './project-samples';
import { readRequests } from './requests';
import { type Resource, sampledKinds } from './resources';
import { type dashboardQuery, type MetricType, metricTypes, type dashboard as schema } from './schema';
import { parseTime } from './service';
import { refusingParameters } from './timeseries';

type Dashboard = z.output<typeof schema>;
type Usage = Dashboard['cpu'];

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const TOP = 5;
const MOST_INCIDENTS = 20;

type Resolution = { level: Level; interval_s: number };

const lengths_s: Readonly<Record<NonNullable<Dashboard['period']>, number>> = {
  '1h': HOUR_S,
  '6h': 6 * HOUR_S,
  '24h': 24 * HOUR_S,
  '7d': 7 * 24 * HOUR_S,
};
/** Finest first. */
const resolutions: readonly Resolution[] = [
  { level: 15, interval_s: MINUTE_S },
  { level: 300, interval_s: 5 * MINUTE_S },
  { level: 300, interval_s: 15 * MINUTE_S },
  { level: 3600, interval_s: HOUR_S },
];
/** More points than a chart shows are not read. */
const MOST_POINTS = 170;
/** Samples that are read in a fraction of a second. */
const MOST_ROWS = 30_000;

/** The finest resolution that is kept and quick to read; with many devices, that is a coarser one. */
function resolutionOf(length_s: number, devices: number, finest: Level): Resolution {
  const isQuick = ({ level, interval_s }: Resolution) =>
    level >= finest && length_s / interval_s <= MOST_POINTS && (devices * length_s) / level <= MOST_ROWS;
  const hours = Math.ceil(length_s / HOUR_S / MOST_POINTS);
  return resolutions.find(isQuick) ?? { level: 3600, interval_s: hours * HOUR_S };
}

/** A project at a glance (spec 4.15). */
export async function readDashboard(
  call: ProjectCall,
  domains: readonly Domain[],
  asked: z.output<typeof dashboardQuery>,
): Promise<Dashboard> {
  const time = timeOf(asked, call.at);
  const series = new ProjectSeries(call.project_id, sampledKinds(domains));
  const [resources, { level, ...usage }, logs, incidents] = await Promise.all([
    countResources(call.project_id, domains),
    readUsage(call, series, time),
    countLines(readerOf(call), time, call.signal),
    incidentsOfProject(call.project_id, { ...time, limit: MOST_INCIDENTS }),
  ]);
  const requests = await readRequests(series, { ...time, level }, call.signal);
  return { period: time.period, resources, ...usage, requests, logs, incidents };
}

type Time = { from: Date; to: Date; period: Dashboard['period'] };

/** The time of a dashboard. @throws ApiError 400 */
function timeOf({ period, start, end }: z.output<typeof dashboardQuery>, now: Date): Time {
  if (start === undefined && end === undefined) {
    return { from: new Date(now.getTime() - lengths_s[period] * 1000), to: now, period };
  }
  return refusingParameters(() => {
    const from = parseTime('start', start ?? '');
    const to = end === undefined ? now.getTime() : Math.min(now.getTime(), parseTime('end', end));
    if (from >= to) throw new ParameterError('invalid parameter "start": must be before end, and before now');
    return { from: new Date(from), to: new Date(to), period: null };
  });
}

/** Resources of every type by status. */
async function countResources(projectId: string, domains: readonly Domain[]): Promise<Dashboard['resources']> {
  const types = domains.flatMap(({ resources }) => Object.entries(resources));
  const counts = types.map(
    ([type, { table, statuses }]) => sql`
      SELECT ${type}::text AS type, ${raw(statuses === none ? 'NULL' : 'r.status')}::text AS status, count(*)::int AS count
      FROM ${raw(table)} r WHERE r.project_id = ${projectId}::uuid GROUP BY 2`,
  );
  const rows = await query<{ type: string; status: string | null; count: number }>(join(counts, ' UNION ALL '));
  return Object.fromEntries(
    types.map(([type]) => {
      const own = rows.filter((row) => row.type === type);
      const total = own.reduce((sum, { count }) => sum + count, 0);
      const by_status = Object.fromEntries(
        own.flatMap(({ status, count }) => (status === null ? [] : [[status, count] as const])),
      );
      return [type, { total, by_status }];
    }),
  );
}

/** Samples are rolled up when they are a minute old, by a job that runs every minute. */
const ROLLED_UP_AFTER_MS = 150_000;

/** Full intervals that cover a time, until now or the last roll-up. */
function spanOf({ from, to }: Pick<Time, 'from' | 'to'>, now: Date, { level, interval_s }: Resolution): Intervals {
  const interval_ms = interval_s * 1000;
  const last = now.getTime() - (level === 15 ? 0 : ROLLED_UP_AFTER_MS);
  const end = Math.min(Math.floor(last / interval_ms), Math.ceil(to.getTime() / interval_ms)) * interval_ms;
  const intervals = Math.ceil((to.getTime() - from.getTime()) / interval_ms);
  return { from: new Date(end - intervals * interval_ms), to: new Date(end), level, interval_s };
}

async function readUsage(call: ProjectCall, project: ProjectSeries, { from, to }: Time) {
  const { resources, series } = await seriesOfTypes(project, metricTypes);
  const wanted = { devices: [...resources.keys()], series };
  const length_s = (to.getTime() - from.getTime()) / 1000;
  const span = spanOf({ from, to }, call.at, resolutionOf(length_s, resources.size, levelOf(from, call.at)));
  const minuteBefore = new Date(to.getTime() - MINUTE_S * 1000);
  const finest = levelOf(minuteBefore, call.at);
  const last = { level: finest, interval_s: Math.max(MINUTE_S, finest) };
  const [rows, latest] = await Promise.all([
    readTotals(call.project_id, wanted, span),
    readTotals(call.project_id, wanted, spanOf({ from: minuteBefore, to }, call.at, last)),
  ]);
  const usage = (type: MetricType) => usageOf(type, rows, latest, span);
  return {
    level: span.level,
    ...{ cpu: usage('cpu'), ram: usage('ram'), network: usage('network'), disk: usage('disk') },
    top: metricTypes.flatMap((type) => topOf(type, resources, rows)),
  };
}

function usageOf(type: MetricType, rows: readonly TotalRow[], latest: readonly TotalRow[], span: Intervals): Usage {
  const sums = sumsOf(type, rows);
  const now = [...sumsOf(type, latest).values()].at(-1) ?? null;
  const series = parts.flatMap(({ type: of, labels }, part) => {
    if (of !== type) return [];
    const values = new Map(
      rows.flatMap((row) => (row.part === part && row.interval ? [[row.interval.getTime(), row.value]] : [])),
    );
    const points = endsOf(span).map((end): Point => [new Date(end).toISOString(), values.get(end) ?? null]);
    return [{ labels, points }];
  });
  return { now, peak: sums.size === 0 ? null : Math.max(...sums.values()), series };
}

type Point = [string, number | null];

/** The sum of all parts of a type, by the end of the interval. */
function sumsOf(type: MetricType, rows: readonly TotalRow[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { part, interval, value } of rows) {
    if (parts[part]?.type !== type || !interval) continue;
    sums.set(interval.getTime(), (sums.get(interval.getTime()) ?? 0) + value);
  }
  return sums;
}

function topOf(
  type: MetricType,
  resources: ReadonlyMap<string, Resource>,
  rows: readonly TotalRow[],
): Dashboard['top'] {
  const means = new Map<string, number>();
  for (const { part, device_id, value } of rows) {
    if (parts[part]?.type === type && device_id) means.set(device_id, (means.get(device_id) ?? 0) + value);
  }
  return [...means]
    .sort(([, one], [, other]) => other - one)
    .slice(0, TOP)
    .flatMap(([id, value]) => {
      const resource = resources.get(id);
      return resource ? [{ resource: { type: resource.kind, id, name: resource.name }, metric: type, value }] : [];
    });
}
