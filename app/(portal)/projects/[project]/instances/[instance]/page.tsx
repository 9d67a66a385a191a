'use client';

import { useParams, useRouter, useSearchParams } from 'next/navigation';
import { BootLog } from '@/components/compute/boot-log';
import { type Instance, useInstanceActions, useOpenConsole } from '@/components/compute/instance-actions';
import { whyNot } from '@/components/compute/instance-can';
import { InstanceProperties } from '@/components/compute/instance-properties';
import { DisabledReason } from '@/components/data/disabled-reason';
import { StatusBadge } from '@/components/data/status-badge';
import { Loaded } from '@/components/page/loaded';
import { Page } from '@/components/page/page';
import { ActionMenu } from '@/components/table/row-actions';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const LOG_TAB = 'log';

/** One instance: what it is, what it does now, its console and what it wrote while it booted. */
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
      <Loaded query={query} what="The instance" skeleton={<Skeleton className="h-80 w-full" />}>
        {(instance) => <InstanceTabs instance={instance} />}
      </Loaded>
    </Page>
  );
}

function InstanceButtons({ instance }: { instance: Instance }) {
  const { project } = useProject();
  const router = useRouter();
  const openConsole = useOpenConsole();
  const actionsOf = useInstanceActions({ onDeleted: () => router.push(paths.instances(project.slug)) });
  return (
    <>
      <ActionMenu name={instance.name} actions={actionsOf(instance)} labelled />
      <DisabledReason reason={whyNot('console', instance, project.role)}>
        <Button variant="primary" onClick={() => openConsole(instance.id)}>
          Open console
        </Button>
      </DisabledReason>
    </>
  );
}

function InstanceTabs({ instance }: { instance: Instance }) {
  const { project } = useProject();
  const params = useSearchParams();
  return (
    <Tabs
      value={params.get('tab') === LOG_TAB ? LOG_TAB : 'overview'}
      // In the address, so that a link may lead to the log.
      onValueChange={(tab) =>
        window.history.replaceState(
          null,
          '',
          tab === LOG_TAB ? paths.instanceLog(project.slug, instance.id) : paths.instance(project.slug, instance.id),
        )
      }
    >
      <TabsList aria-label="Parts of the instance">
        <TabsTrigger value="overview">Overview</TabsTrigger>
        <TabsTrigger value={LOG_TAB}>Boot log</TabsTrigger>
      </TabsList>
      <TabsContent value="overview">
        <InstanceProperties instance={instance} />
      </TabsContent>
      <TabsContent value={LOG_TAB}>
        <BootLog instanceId={instance.id} />
      </TabsContent>
    </Tabs>
  );
}
