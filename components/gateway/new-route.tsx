'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { newRoute } from './route-values';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with it.
const RouteEditor = lazyComponent(
  () => import('./route-form').then((module) => module.RouteEditor),
  () => skeleton,
);

interface NewRouteProps {
  /** Of the gateway: every project has the hosts below its slug there. */
  domain: string;
}

/** The page of a new gateway route. */
export function NewRoute({ domain }: NewRouteProps) {
  const { api, project } = useProject();
  const services = api.useQuery('get', '/api/v1/services/services');
  return (
    <Page title="Create gateway route">
      <Loaded query={services} what="The gateway" skeleton={skeleton}>
        {(offered) => {
          const gateway = offered.find(({ id }) => id === 'gateway');
          const unavailable = gateway?.status === 'unavailable' ? gateway.status_reason : null;
          return <RouteEditor values={newRoute(`${project.slug}.${domain}`)} unavailable={unavailable} />;
        }}
      </Loaded>
    </Page>
  );
}
