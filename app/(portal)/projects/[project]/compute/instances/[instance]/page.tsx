'use client';

import { useParams, useRouter } from 'next/navigation';
import { BootLog } from '@/components/compute/boot-log';
import { Fault } from '@/components/compute/fault';
import { type Instance, useInstanceActions, useOpenConsole } from '@/components/compute/instance-actions';
import { whyNot } from '@/components/compute/instance-can';
import { InstanceNetwork } from '@/components/compute/instance-network';
import { InstanceProperties } from '@/components/compute/instance-properties';
import { InstanceVolumes } from '@/components/compute/instance-volumes';
import { Provisioning } from '@/components/compute/provisioning';
import { ResourceHistory } from '@/components/compute/resource-history';
import { Telemetry } from '@/components/compute/telemetry';
import { WaysIn } from '@/components/compute/ways-in';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { AddressTabs } from '@/components/kit/page/address-tabs';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { Button } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** One instance: what it is and does, how to get in, where it is reached, what it used and what was done with it. */
export default function InstancePage() {
  const { instance: id } = useParams<{ instance: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/compute/instances/{id}', { params: { path: { id } } });
  return (
    <Page
      title={query.data?.name ?? 'Instance'}
      badge={
        query.data && (
          <StatusBadge status={query.data.status} reason={query.data.fault?.message ?? query.data.status_reason} />
        )
      }
      actions={query.data && <InstanceButtons instance={query.data} />}
    >
      <Loaded query={query} what="The instance" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(instance) => (
          <>
            <Provisioning instance={instance} />
            <Fault instance={instance} />
            <InstanceTabs instance={instance} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function InstanceButtons({ instance }: { instance: Instance }) {
  const { project } = useProject();
  const router = useRouter();
  const may = useMay('openConsole');
  const openConsole = useOpenConsole();
  const { actionsOf, dialog } = useInstanceActions({ onDeleted: () => router.push(paths.instances(project.slug)) });
  return (
    <>
      <ActionMenu name={instance.name} actions={actionsOf(instance)} labelled />
      <DisabledReason reason={may.reason ?? whyNot('console', instance)}>
        <Button variant="primary" onClick={() => openConsole(instance.id)}>
          Open console
        </Button>
      </DisabledReason>
      {dialog}
    </>
  );
}

function InstanceTabs({ instance }: { instance: Instance }) {
  return (
    <AddressTabs
      label="Instance sections"
      tabs={[
        { name: 'overview', label: 'Overview', content: () => <InstanceProperties instance={instance} /> },
        { name: 'console', label: 'Console', content: () => <WaysIn instance={instance} /> },
        { name: 'log', label: 'Boot log', content: () => <BootLog instanceId={instance.id} /> },
        { name: 'network', label: 'Network', content: () => <InstanceNetwork instance={instance} /> },
        { name: 'volumes', label: 'Volumes', content: () => <InstanceVolumes instance={instance} /> },
        { name: 'telemetry', label: 'Telemetry', content: () => <Telemetry instance={instance} /> },
        { name: 'activity', label: 'Activity', content: () => <ResourceHistory id={instance.id} /> },
      ]}
    />
  );
}
