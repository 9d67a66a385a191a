'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { instances } from '@/components/compute/domain';
import { Fault } from '@/components/compute/fault';
import { useInstanceActions, useOpenConsole } from '@/components/compute/instance-actions';
import { whyNot } from '@/components/compute/instance-can';
import { instanceFacts } from '@/components/compute/instance-facts';
import { InstanceProperties } from '@/components/compute/instance-properties';
import { Provisioning } from '@/components/compute/provisioning';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useMay } from '@/lib/client/may';
import { getInstance, updateInstance } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

// Each part is loaded with its tab.
const loading = () => <Skeleton className="h-80 w-full rounded-lg" />;
const InstanceNetwork = lazyComponent(
  () => import('@/components/compute/instance-network').then((module) => module.InstanceNetwork),
  loading,
);
const InstanceVolumes = lazyComponent(
  () => import('@/components/compute/instance-volumes').then((module) => module.InstanceVolumes),
  loading,
);
const WaysIn = lazyComponent(() => import('@/components/compute/ways-in').then((module) => module.WaysIn), loading);

/** Details of an instance: configuration, access, network, volumes, metrics, logs and activity. */
export default function InstancePage() {
  const { instance: id } = useParams<{ instance: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const may = useMay('openConsole');
  const openConsole = useOpenConsole();
  const { actionsOf, dialog } = useInstanceActions({ onDeleted: () => router.push(paths.instances(project.slug)) });
  const rename = api.useMutation('patch', '/api/v1/compute/instances/{id}');
  const query = api.useQuery('get', '/api/v1/compute/instances/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={instances}
      query={query}
      get={getInstance}
      badge={({ status, status_reason, fault }) => (
        <StatusBadge status={status} reason={fault?.message ?? status_reason} />
      )}
      facts={instanceFacts}
      rename={{
        operation: updateInstance,
        save: (name) => rename.mutateAsync({ params: { path: { id } }, body: { name } }),
      }}
      actions={actionsOf}
      buttons={(instance) => (
        <DisabledReason reason={may.reason ?? whyNot('console', instance)}>
          <Button variant="primary" onClick={() => openConsole(id)}>
            Open console
          </Button>
        </DisabledReason>
      )}
      above={(instance) => (
        <>
          <Provisioning instance={instance} />
          <Fault instance={instance} />
        </>
      )}
      tabs={(instance) => [
        { name: 'overview', label: 'Overview', content: () => <InstanceProperties instance={instance} /> },
        { name: 'console', label: 'Console', content: () => <WaysIn instance={instance} /> },
        { name: 'network', label: 'Network', content: () => <InstanceNetwork instance={instance} /> },
        { name: 'volumes', label: 'Volumes', content: () => <InstanceVolumes instance={instance} /> },
        activityTab(id),
      ]}
    >
      {dialog}
    </ResourcePage>
  );
}
