import { keepPreviousData } from '@tanstack/react-query';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import { useProject } from '@/lib/client/project';

const path = '/api/v1/observability/dashboard';

export type DashboardData = NonNullable<ReturnType<typeof useDashboard>['data']>;
export type Period = '1h' | '6h' | '24h' | '7d';

/** The parameters of a dashboard: a period until now, or a window. */
export function dashboardQuery(period: Period, zoom: TimeWindow | undefined) {
  if (!zoom) return { period };
  return { start: new Date(zoom.from).toISOString(), end: new Date(zoom.to).toISOString() };
}

/** The dashboard of a time, read again at an interval in ms. */
export function useDashboard(query: ReturnType<typeof dashboardQuery>, refetchInterval: number | false) {
  const { api } = useProject();
  return api.useQuery('get', path, { params: { query } }, { refetchInterval, placeholderData: keepPreviousData });
}
