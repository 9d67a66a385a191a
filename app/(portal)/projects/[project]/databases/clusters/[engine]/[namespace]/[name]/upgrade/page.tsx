'use client';

import { useSearchParams } from 'next/navigation';
import { useCluster, useClusterPath } from '@/components/databases/use-cluster';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { clusterKey } from '@/lib/domains/databases/paths';
import { paths } from '@/lib/paths';

const skeleton = <Skeleton className="h-96 w-full" />;
// Loaded after the page, which would be too heavy with them.
const UpgradeWizard = lazyComponent(
  () => import('@/components/databases/upgrade-wizard').then((module) => module.UpgradeWizard),
  () => skeleton,
);
const UpgradeJob = lazyComponent(
  () => import('@/components/databases/upgrade-job').then((module) => module.UpgradeJob),
  () => skeleton,
);

/** Upgrades a cluster in steps; then, or by its address, one upgrade with its stages. */
export default function UpgradeDatabaseClusterPage() {
  const { project } = useProject();
  const path = useClusterPath();
  const query = useCluster(path);
  const asked = useSearchParams().get('job');
  const address = clusterKey({ engine: path.engine, namespace: path.ns, name: path.name });
  return (
    <Page title={`Upgrade ${path.name}`} parents={[{ label: path.name, href: paths.database(project.slug, address) }]}>
      <Loaded query={query} what="The cluster" skeleton={skeleton}>
        {(cluster) => {
          const job = asked ?? (cluster.status === 'upgrading' ? cluster.job_id : null);
          return job === null ? <UpgradeWizard cluster={cluster} /> : <UpgradeJob id={job} />;
        }}
      </Loaded>
    </Page>
  );
}
