'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with it.
const NewCluster = lazyComponent(
  () => import('@/components/databases/new-cluster').then((module) => module.NewCluster),
  () => skeleton,
);

/** Creates a database cluster in steps: engine, version, size, network, review. */
export default function NewDatabaseClusterPage() {
  const { api } = useProject();
  const versions = api.useQuery('get', '/api/v1/dbaas/catalog/versions');
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  const all = [versions, networks, groups];
  const query = {
    data: versions.data &&
      networks.data &&
      groups.data && { versions: versions.data, networks: networks.data.rows, groups: groups.data.rows },
    error: all.find(({ error }) => error !== null)?.error,
    refetch: () => Promise.all(all.map((each) => each.refetch())),
  };
  return (
    <Page title="Create database cluster">
      <Loaded query={query} what="The choices" skeleton={skeleton}>
        {(choices) => <NewCluster choices={choices} />}
      </Loaded>
    </Page>
  );
}
