import { z } from 'zod';

export const buildInfo = z
  .strictObject({
    version: z.string().meta({ example: '3.0.0' }),
    revision: z.string(),
    branch: z.string(),
    buildUser: z.string(),
    buildDate: z.string(),
    goVersion: z.string(),
  })
  .meta({ id: 'LokiBuildInfo', description: 'Loki’s own answer, in the names that Loki uses.' });

const time = (description: string) =>
  z
    .string()
    .max(40)
    .optional()
    .meta({ description: `${description} ISO 8601 or Unix nanoseconds.` });
const span = {
  start: time('Lines from then on. Default: an hour before `end`.'),
  end: time('Lines before then. Default: now.'),
  since: z
    .string()
    .max(20)
    .optional()
    .meta({ description: 'In place of `start`: how long before `end`.', example: '3h' }),
};
const query = z
  .string()
  .max(10_000)
  .meta({ description: 'A query in LogQL.', example: '{service="compute"} |= "error"' });
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(5000)
  .default(100)
  .meta({ description: 'Most lines of the answer, 1 to 5,000.' });
const direction = z
  .preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), z.enum(['forward', 'backward']))
  .default('backward')
  .meta({ description: '`backward`: newest lines first.' });

export const logQuery = z.strictObject({
  query,
  ...span,
  limit,
  direction,
  step: z
    .string()
    .max(20)
    .optional()
    .meta({ description: 'Distance between the points of a metric query: `30s`, or seconds.', example: '30s' }),
});
export const tailQuery = z.strictObject({
  query,
  start: time('Lines from then on, before the new ones. Default: an hour ago.'),
  since: span.since.meta({ description: 'In place of `start`: how long ago.', example: '5m' }),
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(5000)
    .default(100)
    .meta({ description: 'Most lines from before the stream begins, 0 to 5,000; the newest of them.' }),
});
export const instantQuery = z.strictObject({ query, limit, direction, time: time('When to evaluate. Default: now.') });
export const labelQuery = z.strictObject({
  ...span,
  query: query.optional().meta({ description: 'Only streams of this selector.' }),
});
export const seriesQuery = z.strictObject({
  ...span,
  match: z.array(z.string()).max(50).optional().meta({ description: 'Selectors; a stream of any of them is listed.' }),
  'match[]': z.array(z.string()).max(50).optional().meta({ description: 'The same as `match`.' }),
});
export const labelParams = z.strictObject({
  name: z.string().max(200).meta({ description: 'The name of a label.', example: 'service' }),
});

const exampleLabels = {
  project: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
  service: 'compute',
  resource_id: '01940f3c-8a2b-7d63-8b4e-6e2d3c4b5a69',
  resource_name: 'web-1',
  level: 'info',
  stream: 'console',
};
const exampleStats = {
  summary: {
    bytesProcessedPerSecond: 51_000_000,
    linesProcessedPerSecond: 400_000,
    totalBytesProcessed: 510_000,
    totalLinesProcessed: 4000,
    execTime: 0.01,
    totalEntriesReturned: 1,
  },
};

const labels = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.string()]).meta({ description: 'Unix seconds, and the value as text.' });
const stats = z.strictObject({
  summary: z.strictObject({
    bytesProcessedPerSecond: z.int(),
    linesProcessedPerSecond: z.int(),
    totalBytesProcessed: z.int(),
    totalLinesProcessed: z.int(),
    execTime: z.number().meta({ description: 'Seconds.' }),
    totalEntriesReturned: z.int(),
  }),
});
const streams = z.strictObject({
  resultType: z.literal('streams'),
  result: z.array(
    z.strictObject({
      stream: labels,
      values: z.array(z.tuple([z.string(), z.string()])).meta({ description: 'Unix nanoseconds, and the line.' }),
    }),
  ),
  stats,
});
const matrix = z.strictObject({
  resultType: z.literal('matrix'),
  result: z.array(z.strictObject({ metric: labels, values: z.array(point) })),
  stats,
});
const vector = z.strictObject({
  resultType: z.literal('vector'),
  result: z.array(z.strictObject({ metric: labels, value: point })),
  stats,
});
const scalar = z.strictObject({ resultType: z.literal('scalar'), result: point, stats });
const status = z.literal('success');
const warnings = z.array(z.string()).optional().meta({ description: 'Present if the answer may be incomplete.' });

export const rangeAnswer = z
  .strictObject({ status, data: z.discriminatedUnion('resultType', [streams, matrix]), warnings })
  .meta({
    id: 'LogQueryAnswer',
    description: 'Loki’s answer: `streams` for lines, `matrix` for numbers over time.',
    example: {
      status: 'success',
      data: {
        resultType: 'streams',
        result: [{ stream: exampleLabels, values: [['1772366461000000000', 'Started PostgreSQL 18.']] }],
        stats: exampleStats,
      },
    },
  });
export const instantAnswer = z
  .strictObject({ status, data: z.discriminatedUnion('resultType', [vector, scalar]), warnings })
  .meta({
    id: 'LogInstantAnswer',
    description: 'Loki’s answer to a metric query at one moment.',
    example: {
      status: 'success',
      data: {
        resultType: 'vector',
        result: [{ metric: { level: 'error' }, value: [1772366460, '3'] }],
        stats: exampleStats,
      },
    },
  });
export const namesAnswer = z.strictObject({ status, data: z.array(z.string()) }).meta({
  id: 'LogNames',
  description: 'Names or values of labels.',
  example: { status: 'success', data: ['compute', 'database'] },
});
export const seriesAnswer = z.strictObject({ status, data: z.array(labels) }).meta({
  id: 'LogSeries',
  description: 'The labels of streams.',
  example: { status: 'success', data: [exampleLabels] },
});

export type RangeAnswer = z.output<typeof rangeAnswer>;
export type InstantAnswer = z.output<typeof instantAnswer>;
