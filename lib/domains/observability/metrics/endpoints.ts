import { type AnyEndpoint, endpoint } from '@/lib/core/api/endpoint';
import type { Domain } from '@/lib/core/domains/domain';
import { readDashboard } from './dashboard';
import { sampledKinds } from './resources';
import * as schema from './schema';
import * as service from './service';
import { readTimeseries } from './timeseries';

const tag = 'Metrics';
const prometheus = '/observability/prometheus/api/v1';
const limits = 'A query runs for at most 30 s and gives at most 11,000 points and 1,000 series.';
const forClients = 'For Grafana and `promtool`, with the base address `{base_url}/api/v1/observability/prometheus`.';

/** Metrics (spec 4.15), and the part of Prometheus' API that Grafana and promtool use. @param domains those that report metrics */
export function metricEndpoints(domains: () => readonly Domain[]): readonly AnyEndpoint[] {
  const kinds = () => sampledKinds(domains());
  return [
    endpoint({
      method: 'GET',
      path: '/observability/dashboard',
      operation_id: 'getDashboard',
      summary: 'Show resources, usage, logs and incidents at a glance',
      description:
        'CPU in cores, RAM in bytes, network and disk in bytes per second, over a period until now, or from `start` to `end`.',
      tag,
      access: 'reader',
      query: schema.dashboardQuery,
      responses: { 200: schema.dashboard },
      handle: (call, { query }) => readDashboard(call, domains(), query),
    }),
    endpoint({
      method: 'GET',
      path: '/observability/timeseries/{metric_type}',
      operation_id: 'getTimeseries',
      summary: 'Show CPU, RAM, network or disk over time',
      description:
        'CPU in cores, RAM in bytes, network and disk in bytes per second. Metrics are kept every 15 seconds, then every 5 minutes, then every hour.',
      tag,
      access: 'reader',
      params: schema.timeseriesParams,
      query: schema.timeseriesQuery,
      responses: { 200: schema.timeseries },
      handle: (call, { params, query }) => readTimeseries(call, kinds(), params.metric_type, query),
    }),
    ...(['GET', 'POST'] as const).flatMap((method) => {
      const kind = { method, tag, access: 'reader', form: method === 'POST' } as const;
      const named = (name: string) => (method === 'GET' ? name : `${name}ByForm`);
      const described = method === 'GET' ? forClients : `The same as GET, with the query as a form. ${forClients}`;
      const failures = { 400: schema.failed, 422: schema.failed };
      return [
        endpoint({
          ...kind,
          path: `${prometheus}/query`,
          operation_id: named('queryPrometheus'),
          summary: 'Evaluate a PromQL query at one moment',
          description: `${described} ${limits} What is not supported is refused with its position.`,
          query: schema.instantQuery,
          responses: { 200: schema.instantAnswer, ...failures },
          handle: (call, { query }) => service.queryInstant(call, kinds(), query),
        }),
        endpoint({
          ...kind,
          path: `${prometheus}/query_range`,
          operation_id: named('queryPrometheusRange'),
          summary: 'Evaluate a PromQL query over time',
          description: `${described} ${limits}`,
          query: schema.rangeQuery,
          responses: { 200: schema.rangeAnswer, ...failures },
          handle: (call, { query }) => service.queryRange(call, kinds(), query),
        }),
        endpoint({
          ...kind,
          path: `${prometheus}/labels`,
          operation_id: named('listPrometheusLabels'),
          summary: 'List names of labels of metrics',
          description: described,
          query: schema.selection,
          responses: { 200: schema.namesAnswer, ...failures },
          handle: (call, { query }) => service.labelNames(call, kinds(), query),
        }),
        endpoint({
          ...kind,
          path: `${prometheus}/label/{name}/values`,
          operation_id: named('listPrometheusLabelValues'),
          summary: 'List values of a label of metrics',
          description: described,
          params: schema.labelParams,
          query: schema.selection,
          responses: { 200: schema.namesAnswer, ...failures },
          handle: (call, { params, query }) => service.labelValues(call, kinds(), params.name, query),
        }),
        endpoint({
          ...kind,
          path: `${prometheus}/series`,
          operation_id: named('listPrometheusSeries'),
          summary: 'List series of metrics by their labels',
          description: described,
          query: schema.selection,
          responses: { 200: schema.seriesAnswer, ...failures },
          handle: (call, { query }) => service.series(call, kinds(), query),
        }),
        endpoint({
          ...kind,
          path: `${prometheus}/metadata`,
          operation_id: named('listPrometheusMetadata'),
          summary: 'List metrics with their type and unit',
          description: described,
          query: schema.metadataQuery,
          responses: { 200: schema.metadataAnswer },
          handle: (_call, { query }) => service.metadata(kinds(), query),
        }),
      ];
    }),
  ];
}
