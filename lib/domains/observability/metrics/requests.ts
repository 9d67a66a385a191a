import type { z } from 'zod';
import type { Level } from '@/lib/core/devices/series';
import type { ProjectSeries } from './project-samples';
import { evaluate } from './promql/evaluate';
import { parsePromql } from './promql/parse';
import { ExecutionError } from './promql/vector';
import type { dashboard } from './schema';

type Requests = z.output<typeof dashboard>['requests'];

/** Counters of HTTP responses to clients: a load balancer's by listener, a route's by backend. */
const responses = '{__name__=~"nephele_.+_(listener|backend)_responses"';
const slowest = '{__name__=~"nephele_.+_(listener|backend)_p99_seconds"}';

const unknown: Requests = { rate: null, errors_percent: null, p99_ms: null };

type Span = { from: Date; to: Date; level: Level };

/** Requests to the load balancers and routes of a project; null where none reports any, or where there are too many to add up. */
export async function readRequests(project: ProjectSeries, span: Span, signal: AbortSignal): Promise<Requests> {
  try {
    return await addUp(project, span, signal);
  } catch (error) {
    if (error instanceof ExecutionError) return unknown;
    throw error;
  }
}

async function addUp(project: ProjectSeries, { from, to, level }: Span, signal: AbortSignal): Promise<Requests> {
  const range = `[${Math.ceil((to.getTime() - from.getTime()) / 1000)}s]`;
  const at = { start: to.getTime(), end: to.getTime(), step: 1 };
  const samples = project.samplesAt(level);
  const number = async (query: string) => {
    const value = await evaluate(parsePromql(query), at, samples, signal);
    const [series] = value.type === 'vector' ? value.series : [];
    return series?.present[0] === 1 ? (series.values[0] ?? null) : null;
  };
  const [rate, failed, p99] = await Promise.all([
    number(`sum(rate(${responses}}${range}))`),
    number(`sum(rate(${responses}, code="5xx"}${range}))`),
    number(`max(avg_over_time(${slowest}${range}))`),
  ]);
  return {
    rate,
    errors_percent: rate === null || rate === 0 ? null : (100 * (failed ?? 0)) / rate,
    p99_ms: p99 === null ? null : p99 * 1000,
  };
}
