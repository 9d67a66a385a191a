import { z } from 'zod';
import { id } from '@/lib/core/api/schemas';
import { projectIncident } from '@/lib/core/incidents/schema';

const text = (most: number, description: string) => z.string().max(most).optional().meta({ description });
const time = (description: string) => text(40, `${description} ISO 8601, or Unix time in seconds or nanoseconds.`);
const query = text(20_000, 'A query in PromQL.');
const common = {
  timeout: text(20, 'How long the query may take. At most, and by default, 30 s.'),
  limit: text(20, 'Accepted for Grafana; the limits of the platform apply.'),
  stats: text(20, 'Accepted for Grafana; statistics are not given.'),
};

export const instantQuery = z.strictObject({ query, time: time('When. Default: now.'), ...common });
export const rangeQuery = z.strictObject({
  query,
  start: time('The first point.'),
  end: time('The last point, at most.'),
  step: text(20, 'Between points: `15s`, `5m` or seconds. At most 11,000 points.'),
  ...common,
});
export const selection = z.strictObject({
  'match[]': z.array(z.string().max(20_000)).optional().meta({ description: 'Selectors. May be repeated.' }),
  start: time('Series with samples from then on.'),
  end: time('Series with samples until then. Default: now.'),
  limit: common.limit,
});
export const metadataQuery = z.strictObject({
  metric: text(200, 'Only this metric.'),
  limit: common.limit,
  limit_per_metric: common.limit,
});
export const labelParams = z.strictObject({ name: z.string().max(200).meta({ example: 'resource_name' }) });

const labels = z.record(z.string(), z.string());
const sample = z.tuple([z.number(), z.string()]).meta({ example: [1_772_366_400, '0.5'] });
const warnings = z.array(z.string()).optional();
const success = <Data extends z.ZodType>(id: string, data: Data) =>
  z.strictObject({ status: z.literal('success'), data, warnings }).meta({ id, description: 'Prometheus’ own answer.' });

export const failed = z
  .strictObject({
    status: z.literal('error'),
    errorType: z.enum(['bad_data', 'execution', 'timeout']),
    error: z.string(),
  })
  .meta({ id: 'PrometheusError', description: 'Prometheus’ own answer to a query that fails.' });
export const instantAnswer = success(
  'PrometheusInstantAnswer',
  z
    .discriminatedUnion('resultType', [
      z.strictObject({
        resultType: z.literal('vector'),
        result: z.array(z.strictObject({ metric: labels, value: sample })),
      }),
      z.strictObject({ resultType: z.literal('scalar'), result: sample }),
      z.strictObject({ resultType: z.literal('string'), result: sample }),
    ])
    .meta({
      example: {
        resultType: 'vector',
        result: [{ metric: { __name__: 'nephele_instance_memory_bytes' }, value: [1_772_366_400, '536870912'] }],
      },
    }),
);
export const rangeAnswer = success(
  'PrometheusRangeAnswer',
  z.strictObject({
    resultType: z.literal('matrix'),
    result: z.array(z.strictObject({ metric: labels, values: z.array(sample) })),
  }),
);
export const namesAnswer = success('PrometheusNames', z.array(z.string()));
export const seriesAnswer = success('PrometheusSeries', z.array(labels));
export const metadataAnswer = success(
  'PrometheusMetadata',
  z.record(z.string(), z.array(z.strictObject({ type: z.string(), help: z.string(), unit: z.string() }))),
);

export const metricTypes = ['cpu', 'ram', 'network', 'disk'] as const;
export type MetricType = (typeof metricTypes)[number];
const unit = z.enum(['cores', 'bytes', 'bytes_per_second']);
export type Unit = z.output<typeof unit>;
export const timeseriesParams = z.strictObject({
  metric_type: z.string().max(200).meta({ description: '`cpu`, `ram`, `network` or `disk`.', example: 'cpu' }),
});
export const timeseriesQuery = z.strictObject({
  resource_id: z.string().max(100).optional().meta({ description: 'Only this resource.' }),
  resource_type: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Only resources of this type.', example: 'instance' }),
  start: time('Default: an hour before `end`.'),
  end: time('Default: now.'),
  step: text(20, 'Between points: `60s`, `5m` or seconds. Default: 240 points; at least 30 s, more for older times.'),
  aggregate: z
    .enum(['sum', 'avg', 'max'])
    .optional()
    .meta({ description: 'One series over all resources, by labels.' }),
});
const points = z
  .array(z.tuple([z.iso.datetime(), z.number().nullable()]).meta({ example: ['2026-03-01T12:00:00Z', 0.5] }))
  .meta({ description: 'End of each interval, and the mean in it; null without samples.' });
const resource = z.strictObject({ type: z.string().meta({ example: 'instance' }), id, name: z.string() });
export const timeseries = z
  .strictObject({
    metric_type: z.enum(metricTypes),
    unit,
    step_s: z.number(),
    series: z.array(
      z.strictObject({
        resource: resource.nullable().meta({ description: 'Null for an aggregate.' }),
        labels,
        points,
      }),
    ),
  })
  .meta({ id: 'Timeseries' });

export const periods = ['1h', '6h', '24h', '7d'] as const;
export const dashboardQuery = z.strictObject({
  period: z.enum(periods).default('1h').meta({ description: 'Until now.' }),
  start: time('With `end`, another time than a period until now.'),
  end: time('Default: now.'),
});

const count = z.int().nonnegative();
const usage = (measured: string) =>
  z
    .strictObject({
      now: z
        .number()
        .nullable()
        .meta({ description: 'Mean of the last full minute; of older times, of the last interval.' }),
      peak: z.number().nullable().meta({ description: 'Highest point of the period.' }),
      series: z.array(z.strictObject({ labels, points })),
    })
    .meta({ description: `${measured}, summed over all resources; null without samples.` });

export const dashboard = z
  .strictObject({
    period: z.enum(periods).nullable().meta({ description: 'Null for a time from `start` to `end`.' }),
    resources: z.record(z.string(), z.strictObject({ total: count, by_status: z.record(z.string(), count) })).meta({
      description: 'Number of resources by type. `by_status` is empty for types without a status.',
      example: { instance: { total: 3, by_status: { active: 2, shutoff: 1 } }, network: { total: 1, by_status: {} } },
    }),
    cpu: usage('Cores in use'),
    ram: usage('Bytes in use'),
    network: usage('Bytes per second, with a series for each direction. `now` and `peak` add them up'),
    disk: usage('Bytes per second, with a series for each direction. `now` and `peak` add them up'),
    top: z
      .array(z.strictObject({ resource, metric: z.enum(metricTypes), value: z.number() }))
      .meta({ description: 'The five resources with the highest mean of each metric over the period, highest first.' }),
    requests: z
      .strictObject({
        rate: z.number().nullable().meta({ description: 'HTTP responses per second, the mean of the period.' }),
        errors_percent: z
          .number()
          .nullable()
          .meta({ description: 'Share of responses with a status of 500 or above.' }),
        p99_ms: z.number().nullable().meta({
          description:
            'Duration of the slowest listener or backend: the mean of the 99th percentiles that it reported in the period.',
        }),
      })
      .meta({
        description:
          'Requests to load balancers and gateway routes; null while none reports any, and beyond some million samples.',
      }),
    logs: z.strictObject({ lines: count, errors: count }).meta({
      description: 'Log lines of the period, and those with an error level. Lines of `audit` count for admins only.',
    }),
    incidents: z.array(projectIncident).meta({
      description: 'Problems of resources of the project that were open in the period, newest first; at most 20.',
    }),
  })
  .meta({ id: 'Dashboard' });
