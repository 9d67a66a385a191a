import { inProject, withQuery } from '@/lib/address';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Addresses of the pages of this domain. */
export const observabilityPaths = {
  dashboards: (project: string) => inProject(project, 'observability/dashboards'),
  metrics: (project: string, shown?: { query: string }) =>
    withQuery(inProject(project, 'observability/metrics'), shown),
  /** @param shown `day` in UTC, such as 2026-03-01 */
  logs: (project: string, shown?: { query: string; range?: string; day?: string }) =>
    withQuery(inProject(project, 'observability/logs'), shown && logsShown(shown)),
};

/** The log page reads a window of time in milliseconds. */
function logsShown({ day, ...shown }: { query: string; range?: string; day?: string }) {
  if (day === undefined) return shown;
  const from = Date.parse(`${day}T00:00:00Z`);
  return { ...shown, from: String(from), to: String(from + DAY_MS) };
}
