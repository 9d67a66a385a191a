'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { routes } from '@/components/gateway/domain';
import { useRouteActions } from '@/components/gateway/route-actions';
import { RouteLink } from '@/components/gateway/route-columns';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { getRoute } from '@/lib/client/operations/gateway';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

// Loaded with its tab.
const OverviewTab = lazyComponent(
  () => import('@/components/gateway/overview-tab').then((module) => module.OverviewTab),
  () => <Skeleton className="h-80 w-full rounded-lg" />,
);

/** How often shares and rollout are read anew. */
const EVERY_MS = 2000;

/** Details of a gateway route: diagram, rollout, traffic, logs and activity. */
export default function RoutePage() {
  const { route: id } = useParams<{ route: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const { actionsOf, dialog } = useRouteActions({ onDeleted: () => router.push(paths.routes(project.slug)) });
  const query = api.useQuery(
    'get',
    '/api/v1/gateway/routes/{id}',
    { params: { path: { id } } },
    { refetchInterval: EVERY_MS },
  );
  return (
    <ResourcePage
      of={routes}
      query={query}
      get={getRoute}
      badge={({ status, status_reason }) => <StatusBadge status={status} reason={status_reason} />}
      facts={({ url, backends }) => [
        ['Address', <RouteLink key="url" url={url} />],
        ['Backends', backends.map(({ name, weight }) => `${name} ${weight}%`).join(', ')],
      ]}
      actions={actionsOf}
      tabs={(route) => [
        { name: 'overview', label: 'Overview', content: () => <OverviewTab route={route} /> },
        activityTab(id),
      ]}
    >
      {dialog}
    </ResourcePage>
  );
}
