import { z } from 'zod';

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
export const timeseries = z
  .strictObject({
    metric_type: z.enum(metricTypes),
    unit: z.enum(['cores', 'bytes', 'bytes_per_second']),
    step_s: z.number(),
    series: z.array(
      z.strictObject({
        resource: z
          .strictObject({ type: z.string(), id: z.string(), name: z.string() })
          .nullable()
          .meta({ description: 'Null for an aggregate.' }),
        labels,
        points: z
          .array(z.tuple([z.iso.datetime(), z.number().nullable()]).meta({ example: ['2026-03-01T12:00:00Z', 0.5] }))
          .meta({ description: 'End of each interval, and the mean in it; null without samples.' }),
      }),
    ),
  })
  .meta({ id: 'Timeseries' });
