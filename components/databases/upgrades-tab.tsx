'use client';

import { ArrowRight } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { Badge } from '@/components/kit/ui/badge';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { TextLink } from '@/components/network/text-link';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { whyNoUpgrades } from '@/lib/domains/databases/engines';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatDuration } from '@/lib/format/time';
import { paths } from '@/lib/paths';
import { engineLooks } from './engine-look';
import type { Cluster, Job } from './types';

/** The version of a cluster, the next one, and its past upgrades. */
export function UpgradesTab({ cluster }: { cluster: Cluster }) {
  const { project } = useProject();
  const { id, engine, version, upgrade_available, status } = cluster;
  const jobs = useList('/api/v1/dbaas/jobs', { cluster_id: id, limit: 50 });
  const { label } = engineLooks[engine];
  const address = paths.upgradeDatabase(project.slug, clusterKey(cluster));
  return (
    <div className="space-y-5">
      <Card
        title={`${label} ${version}`}
        description={
          upgrade_available === null
            ? (whyNoUpgrades(engine) ?? 'This is the newest certified version.')
            : `Version ${upgrade_available} is available. The upgrade begins with five checks and can be rolled back.`
        }
        actions={
          status === 'upgrading' ? (
            <ButtonLink variant="primary" href={address}>
              View upgrade
            </ButtonLink>
          ) : (
            upgrade_available !== null && (
              <ButtonLink variant="primary" href={address}>
                Upgrade
              </ButtonLink>
            )
          )
        }
      />
      <Loaded query={jobs} what="The upgrades" skeleton={<Skeleton className="h-40 w-full rounded-lg" />}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="text-ink-muted text-sm">No upgrades yet.</p>
          ) : (
            <ul aria-label="Upgrades" className="rounded-lg border bg-surface">
              {rows.map((job) => (
                <JobRow key={job.id} cluster={cluster} job={job} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function JobRow({ cluster, job }: { cluster: Cluster; job: Job }) {
  const { project } = useProject();
  const { id, from_version, target_version, stage, error, pause_ms, created_at, rollback } = job;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm not-last:border-b">
      <TextLink href={paths.upgradeDatabase(project.slug, clusterKey(cluster), { job: id })} strong>
        <span className="inline-flex items-center gap-1.5">
          {from_version} <ArrowRight className="size-3.5" aria-hidden="true" />
          <span className="sr-only">to</span> {target_version}
        </span>
      </TextLink>
      <StatusBadge status={stage} reason={error} />
      {stage === 'completed' && rollback.possible && <Badge tone="accent">Can be rolled back</Badge>}
      <span className="text-ink-muted text-xs">
        <Time at={created_at} />
        {pause_ms !== null && ` · pause ${formatDuration(pause_ms)}`}
      </span>
    </li>
  );
}
