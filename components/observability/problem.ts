import type { QueryProblem } from '@/components/kit/code/query-field-view';

/** The place of an error in a query, as Loki and Prometheus write it; undefined for other errors. */
export function problemOf(error: unknown): QueryProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const loki = /parse error at line (\d+), col (\d+): (.+)$/s.exec(error.message);
  const prometheus = /(?:^|\s)(\d+):(\d+): parse error: (.+)$/s.exec(error.message);
  const [, line, column, message] = loki ?? prometheus ?? [];
  if (message === undefined) return undefined;
  return { line: Number(line), column: Number(column), message };
}
