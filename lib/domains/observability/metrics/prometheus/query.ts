import { z } from 'zod';
import { log } from '@/lib/log';
import { doesNotRespond, OutsideRefusal, OutsideTooLarge } from '../../outside';
import { bounded, metricOf, ParameterError } from '../answer';
import type { Steps } from '../promql/evaluate';
import type { Labels } from '../promql/match';
import { printMatchers, printPromql } from '../promql/print';
import type { Expression, Matcher } from '../promql/syntax';
import { ExecutionError } from '../promql/vector';
import { askPrometheus } from './client';

const labels = z.record(z.string(), z.string());
const sample = z.tuple([z.number(), z.string()]);
const instantAnswer = z.object({
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('scalar'), result: sample }),
    z.object({ resultType: z.literal('string'), result: sample }),
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: labels, value: sample })) }),
  ]),
});
const rangeAnswer = z.object({
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(z.object({ metric: labels, values: z.array(sample) })),
  }),
});
const seriesAnswer = z.object({ data: z.array(labels) });
const refusal = z.object({ errorType: z.string(), error: z.string() });

/** The metrics of one project in the Prometheus of `PROMETHEUS_URL`: whatever a selector says, it finds no others. */
export class OutsideSeries {
  private readonly forced: readonly Matcher[];

  constructor(
    projectId: string,
    private readonly signal: AbortSignal,
  ) {
    this.forced = [{ label: 'project', op: '=', value: projectId }];
  }

  async instant(query: Expression, time: number) {
    const { data } = instantAnswer.parse(
      await this.ask('query', { query: printPromql(query, this.forced), time: seconds(time) }),
    );
    if (data.resultType !== 'vector') return data;
    return { resultType: data.resultType, result: bounded(data.result).map(withMetric) };
  }

  async range(query: Expression, { start, end, step }: Steps) {
    const times = { start: seconds(start), end: seconds(end), step: seconds(step) };
    const { data } = rangeAnswer.parse(
      await this.ask('query_range', { query: printPromql(query, this.forced), ...times }),
    );
    return { resultType: data.resultType, result: bounded(data.result).map(withMetric) };
  }

  /** Labels of the series that match one of the selections in a span. */
  async series(selections: readonly (readonly Matcher[])[], { from, to }: { from: Date; to: Date }): Promise<Labels[]> {
    const match = selections.map((matchers) => ['match[]', printMatchers([...matchers, ...this.forced])]);
    const span = { start: seconds(from.getTime()), end: seconds(to.getTime()) };
    return seriesAnswer.parse(await this.ask('series', [...match, ...Object.entries(span)])).data;
  }

  private async ask(path: string, parameters: Record<string, string> | string[][]): Promise<unknown> {
    try {
      return JSON.parse(await askPrometheus(path, { body: new URLSearchParams(parameters), signal: this.signal }));
    } catch (error) {
      this.signal.throwIfAborted();
      throw errorOf(error);
    }
  }
}

const seconds = (ms: number) => String(ms / 1000);

const withMetric = <Item extends { metric: Labels }>(item: Item) => ({ ...item, metric: metricOf(item.metric) });

/** What Prometheus says about a query is for the caller; everything else is for the operator. */
function errorOf(error: unknown): Error {
  if (error instanceof OutsideTooLarge) {
    return new ExecutionError('the result is too large: select fewer series, a shorter time or a longer step');
  }
  const said = error instanceof OutsideRefusal ? refusal.safeParse(readJson(error.text)).data : undefined;
  if (said?.errorType === 'bad_data') return new ParameterError(said.error);
  if (said?.errorType === 'execution') return new ExecutionError(said.error);
  if (said?.errorType === 'timeout') return new DOMException(said.error, 'TimeoutError');
  log.warn({ err: error }, 'Prometheus did not answer a query');
  return doesNotRespond('The metric store', error);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
