import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '@/lib/testing/loopback';
import { noPrometheus, skipped, startPrometheus } from '@/lib/testing/prometheus';
import {
  comparedQueries,
  comparedSteps,
  corpus,
  corpusSamples,
  expectSameSeries,
  timesOf,
} from '@/lib/testing/promql-corpus';
import { rangeData } from '../answer';
import { evaluate } from './evaluate';
import { parsePromql } from './parse';

const never = new AbortController().signal;

const matrix = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), values: z.array(z.tuple([z.number(), z.string()])) }),
    ),
  }),
});

describe.skipIf(noPrometheus)(`the real Prometheus${skipped}`, () => {
  let server: Awaited<ReturnType<typeof startPrometheus>>;
  let base: string;

  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    server = await startPrometheus(port, { samples: corpus.flatMap(openMetrics) });
  });
  afterAll(() => server?.stop());

  test.each(comparedQueries)('answers %s the same', async (query) => {
    const { start, end, step } = comparedSteps;
    const range = { query, start: String(start / 1000), end: String(end / 1000), step: String(step / 1000) };
    const response = await fetch(`${base}/api/v1/query_range?${new URLSearchParams(range)}`);
    const body = await response.text();
    expect(response.status, body).toBe(200);
    const value = await evaluate(parsePromql(query), comparedSteps, corpusSamples, never);
    expectSameSeries(rangeData(value, timesOf(comparedSteps)).result, matrix.parse(JSON.parse(body)).data.result);
  });
});

function openMetrics({ labels: { __name__, ...labels }, at, values }: (typeof corpus)[number]): string[] {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return values.map((value, index) => `${__name__}{${written.join(',')}} ${value} ${(at[index] ?? 0) / 1000}`);
}
