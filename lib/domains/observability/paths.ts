import { inProject, withQuery } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const observabilityPaths = {
  metrics: (project: string, shown?: { query: string }) =>
    withQuery(inProject(project, 'observability/metrics'), shown),
  logs: (project: string, shown?: { query: string }) => withQuery(inProject(project, 'observability/logs'), shown),
};
