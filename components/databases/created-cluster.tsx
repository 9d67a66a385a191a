'use client';

import { StatusBadge } from '@/components/kit/data/status-badge';
import { ButtonLink } from '@/components/kit/ui/button';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import { clusterKey } from '@/lib/domains/databases/paths';
import { paths } from '@/lib/paths';
import { ConnectionCard } from './connection-card';
import { NewCredentials } from './new-credentials';
import { pathOf } from './types';
import { useCluster } from './use-cluster';

type Created = components['schemas']['DatabaseClusterWithCredentials'];

/** A cluster that has just been created: its credentials, and how to connect as soon as its members run. */
export function CreatedCluster({ created }: { created: Created }) {
  const { project } = useProject();
  const { credentials, ...first } = created;
  const { data: cluster = first } = useCluster(pathOf(created));
  return (
    <div className="max-w-3xl space-y-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm" role="status">
        <StatusBadge status={cluster.status} />
        {cluster.status === 'available' ? `${created.name} is available.` : 'You can leave this page.'}
        {cluster.status_reason !== null && <span className="text-ink-muted">{cluster.status_reason}</span>}
      </div>
      <NewCredentials credentials={credentials} />
      <ConnectionCard cluster={cluster} />
      <ButtonLink variant="primary" href={paths.database(project.slug, clusterKey(created))}>
        View {created.name}
      </ButtonLink>
    </div>
  );
}
