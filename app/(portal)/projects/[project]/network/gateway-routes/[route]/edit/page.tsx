'use client';

import { useParams } from 'next/navigation';
import { routes } from '@/components/gateway/domain';
import { valuesOf } from '@/components/gateway/route-values';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with it.
const RouteEditor = lazyComponent(
  () => import('@/components/gateway/route-form').then((module) => module.RouteEditor),
  () => skeleton,
);

/** Changes a gateway route, or begins a rollout. */
export default function EditRoutePage() {
  const { route: id } = useParams<{ route: string }>();
  const { api, project } = useProject();
  const query = api.useQuery('get', '/api/v1/gateway/routes/{id}', { params: { path: { id } } });
  const name = query.data?.name ?? routes.noun;
  return (
    <Page title={`Edit ${name}`} parents={[{ label: name, href: paths.route(project.slug, id) }]}>
      <Loaded query={query} what="The route" skeleton={skeleton}>
        {(route) => <RouteEditor values={valuesOf(route)} id={id} unavailable={null} />}
      </Loaded>
    </Page>
  );
}
