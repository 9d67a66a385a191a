import { inProject, withQuery } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const observabilityPaths = {
  dashboards: (project: string) => inProject(project, 'observability/dashboards'),
  metrics: (project: string, shown?: { query: string }) =>
    withQuery(inProject(project, 'observability/metrics'), shown),
  logs: (project: string, shown?: { query: string; range?: string }) =>
    withQuery(inProject(project, 'observability/logs'), shown),
};
