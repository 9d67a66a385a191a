import { keepPreviousData } from '@tanstack/react-query';
import { useProject } from '@/lib/client/project';

const path = '/api/v1/observability/dashboard';

export type DashboardData = NonNullable<ReturnType<typeof useDashboard>['data']>;
export type Period = '1h' | '6h' | '24h' | '7d';

/** The dashboard of a period, read again at an interval in ms. */
export function useDashboard(period: Period, refetchInterval: number | false) {
  const { api } = useProject();
  return api.useQuery(
    'get',
    path,
    { params: { query: { period } } },
    { refetchInterval, placeholderData: keepPreviousData },
  );
}
