import { inProject, withQuery } from '@/lib/address';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The time on each side of a linked line. */
const AROUND_LINE_MS = 15 * MINUTE_MS;

interface LogsShown {
  query: string;
  range?: string;
  /** In Unix milliseconds. */
  window?: { from: number; to: number };
  /** In UTC, such as 2026-03-01. */
  day?: string;
  /** One line, which the page marks; `at` in Unix milliseconds. */
  line?: { id: string; at: number };
}

/** Addresses of the pages of this domain. */
export const observabilityPaths = {
  dashboards: (project: string) => inProject(project, 'observability/dashboards'),
  metrics: (project: string, shown?: { query: string }) =>
    withQuery(inProject(project, 'observability/metrics'), shown),
  logs: (project: string, shown?: LogsShown) =>
    withQuery(inProject(project, 'observability/logs'), shown && logsShown(shown)),
};

/** The log page reads a window of time in milliseconds. */
function logsShown({ day, line, window, ...shown }: LogsShown) {
  if (window) return { ...shown, ...span(window.from, window.to) };
  if (line) return { ...shown, ...span(line.at - AROUND_LINE_MS, line.at + AROUND_LINE_MS), line: line.id };
  if (day === undefined) return shown;
  const from = Date.parse(`${day}T00:00:00Z`);
  return { ...shown, ...span(from, from + DAY_MS) };
}

const span = (from: number, to: number) => ({ from: String(from), to: String(to) });
