'use client';

import { useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { useClusterActions } from '@/components/databases/cluster-actions';
import { sizeOf } from '@/components/databases/cluster-columns';
import { ClusterNotices } from '@/components/databases/cluster-notices';
import { databaseClusters } from '@/components/databases/domain';
import { engineLooks } from '@/components/databases/engine-look';
import { membersUp } from '@/components/databases/members';
import { useCluster, useClusterPath } from '@/components/databases/use-cluster';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

// Each part is loaded with its tab.
const loading = () => <Skeleton className="h-80 w-full rounded-lg" />;
const OverviewTab = lazyComponent(
  () => import('@/components/databases/overview-tab').then((module) => module.OverviewTab),
  loading,
);
const ParametersTab = lazyComponent(
  () => import('@/components/databases/parameters-tab').then((module) => module.ParametersTab),
  loading,
);
const BackupsTab = lazyComponent(
  () => import('@/components/databases/backups-tab').then((module) => module.BackupsTab),
  loading,
);
const UpgradesTab = lazyComponent(
  () => import('@/components/databases/upgrades-tab').then((module) => module.UpgradesTab),
  loading,
);

/** A database cluster: how to connect, its members, parameters, backups, upgrades, metrics, logs and activity. */
export default function DatabaseClusterPage() {
  const { project } = useProject();
  const router = useRouter();
  const query = useCluster(useClusterPath());
  const { actionsOf, dialog } = useClusterActions({ onDeleted: () => router.push(paths.databases(project.slug)) });
  return (
    <ResourcePage
      of={databaseClusters}
      query={query}
      facts={(cluster) => [
        ['Engine', `${engineLooks[cluster.engine].label} ${cluster.version}`],
        ['Endpoint', cluster.endpoint ? `${cluster.endpoint.host}:${cluster.endpoint.port}` : '–'],
        ['Members', membersUp(cluster)],
        ['Each member', sizeOf(cluster)],
      ]}
      above={(cluster) => <ClusterNotices cluster={cluster} />}
      actions={actionsOf}
      tabs={(cluster) => [
        { name: 'overview', label: 'Overview', content: () => <OverviewTab cluster={cluster} /> },
        { name: 'parameters', label: 'Parameters', content: () => <ParametersTab cluster={cluster} /> },
        { name: 'backups', label: 'Backups', content: () => <BackupsTab cluster={cluster} /> },
        { name: 'upgrades', label: 'Upgrades', content: () => <UpgradesTab cluster={cluster} /> },
        activityTab(cluster.id),
      ]}
    >
      {dialog}
    </ResourcePage>
  );
}
