import { type AnyEndpoint, endpoint } from '@/lib/core/api/endpoint';
import { accessCheck, eventReply, eventStream } from '@/lib/core/events/event-stream';
import * as schema from './schema';
import * as service from './service';
import { tailLogs } from './tail';

const tag = 'Logs';
const loki = '/observability/loki/api/v1';
const limits = 'A query runs for at most 30 s and gives at most 11,000 points and 1,000 series.';
const forLoki = 'For Grafana and `logcli --addr={base_url}/api/v1/observability`.';

/** Streams of lines that a project can have open in one process: each reads all new chunks of its streams. */
const MOST_TAILS = 20;

/** Log lines (spec 4.15), and the part of Loki’s API that Grafana and logcli use. */
export const logEndpoints: readonly AnyEndpoint[] = [
  endpoint({
    method: 'GET',
    path: '/observability/logs',
    operation_id: 'queryLogs',
    summary: 'Query log lines in LogQL',
    description: `Gives lines, or numbers over time for a metric query. The answer is Loki’s own. Lines of \`service="audit"\` are only for admins. ${limits} What is not supported is refused with its position.`,
    tag,
    access: 'reader',
    query: schema.logQuery,
    responses: { 200: schema.rangeAnswer },
    handle: (call, { query }) => service.queryRange(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/observability/logs/tail',
    operation_id: 'tailLogs',
    summary: 'Follow log lines',
    description:
      'Server-sent events. `lines` comes first, with the newest lines so far or none, and whenever there are new lines: ' +
      '`{"streams": [{"stream": labels, "values": [[time, line], …]}]}`, with times in Unix nanoseconds, oldest first in each ' +
      'stream. `gap` means that lines were left out, because the client reads too slowly or was away for over a minute: ' +
      '`{"lines": 1200}` (at most so many), or null if their number is unknown. To continue without losing or repeating a line, send the id of ' +
      'the last event as `Last-Event-ID`. `query` is a query for lines, not for numbers. The stream ends with the caller’s ' +
      `session, token, role or membership. A project can have ${MOST_TAILS} at a time. \`logcli query --tail\` and Grafana follow the same ` +
      'lines over a WebSocket at `/observability/loki/api/v1/tail`, with a bearer token.',
    tag,
    access: 'reader',
    query: schema.tailQuery,
    responses: { 200: { stream: 'text/event-stream' } },
    handle: (call, { query, headers }) => {
      const source = tailLogs(call, query, headers.get('last-event-id'));
      const options = {
        key: `logs of ${call.project_id}`,
        most: MOST_TAILS,
        refusal: (open: number) => `The project follows its logs ${open} times already; close one first.`,
        stillAllowed: accessCheck(call, headers, (caller) =>
          caller.kind === 'administrator' ? '' : JSON.stringify(caller.membership),
        ),
        signal: call.signal,
      };
      return eventReply(eventStream(options, source));
    },
  }),
  ...(['GET', 'POST'] as const).flatMap((method) => {
    const kind = { method, tag, access: 'reader', form: method === 'POST' } as const;
    const named = (name: string) => (method === 'GET' ? name : `${name}ByForm`);
    const described = method === 'GET' ? forLoki : `The same as GET, with the query as a form. ${forLoki}`;
    return [
      endpoint({
        ...kind,
        path: `${loki}/query_range`,
        operation_id: named('queryLokiRange'),
        summary: 'Query log lines, as Loki’s clients do',
        description: described,
        query: schema.logQuery,
        responses: { 200: schema.rangeAnswer },
        handle: (call, { query }) => service.queryRange(call, query),
      }),
      endpoint({
        ...kind,
        path: `${loki}/query`,
        operation_id: named('queryLoki'),
        summary: 'Evaluate a metric query at one moment',
        description: described,
        query: schema.instantQuery,
        responses: { 200: schema.instantAnswer },
        handle: (call, { query }) => service.queryInstant(call, query),
      }),
      endpoint({
        ...kind,
        path: `${loki}/labels`,
        operation_id: named('listLokiLabels'),
        summary: 'List names of labels',
        description: described,
        query: schema.labelQuery,
        responses: { 200: schema.namesAnswer },
        handle: (call, { query }) => service.labelNames(call, query),
      }),
      endpoint({
        ...kind,
        path: `${loki}/label/{name}/values`,
        operation_id: named('listLokiLabelValues'),
        summary: 'List values of a label',
        description: described,
        params: schema.labelParams,
        query: schema.labelQuery,
        responses: { 200: schema.namesAnswer },
        handle: (call, { params, query }) => service.labelValues(call, params.name, query),
      }),
      endpoint({
        ...kind,
        path: `${loki}/series`,
        operation_id: named('listLokiSeries'),
        summary: 'List streams by their labels',
        description: described,
        query: schema.seriesQuery,
        responses: { 200: schema.seriesAnswer },
        handle: (call, { query }) => service.series(call, query),
      }),
    ];
  }),
  endpoint({
    method: 'GET',
    path: `${loki}/status/buildinfo`,
    operation_id: 'getLokiBuildInfo',
    summary: 'Show the version of Loki whose API this is',
    description: 'Grafana asks for it to find out which queries it may send.',
    tag,
    access: 'reader',
    responses: { 200: schema.buildInfo },
    handle: () => ({
      version: '3.0.0',
      revision: 'nephele',
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    }),
  }),
];
