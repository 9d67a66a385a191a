'use client';

import { routes } from '@/components/gateway/domain';
import { useRouteActions } from '@/components/gateway/route-actions';
import { routeColumns } from '@/components/gateway/route-columns';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { applyRoute, listRoutes } from '@/lib/client/operations/gateway';

/** The project's gateway routes. */
export default function RoutesPage() {
  const { actionsOf, dialog } = useRouteActions();
  return (
    <ResourceList
      of={routes}
      list={listRoutes}
      command={applyRoute}
      about="Hosts and paths that the platform’s gateway publishes, each with weighted backends."
      empty="A route publishes an instance, a load balancer or another server under a host name, and moves requests to a new version step by step."
      columns={routeColumns}
      filters={['status']}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
