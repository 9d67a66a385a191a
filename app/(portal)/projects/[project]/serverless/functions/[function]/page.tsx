'use client';

import { useParams, useRouter } from 'next/navigation';
import type { ComponentType } from 'react';
import { activityTab } from '@/components/audit/activity-tab';
import { functions } from '@/components/functions/domain';
import { useFunctionActions } from '@/components/functions/function-actions';
import type { CloudFunction } from '@/components/functions/types';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { getFunction } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

type Tab = ComponentType<{ of: CloudFunction }>;
const tab = (load: () => Promise<Tab>) =>
  lazyComponent<{ of: CloudFunction }>(load, () => <Skeleton className="h-128 w-full rounded-lg" />);

// Each is loaded when it is shown.
const CodeTab = tab(() => import('@/components/functions/code-tab').then((module) => module.CodeTab));
const ConfigurationTab = tab(() =>
  import('@/components/functions/configuration-tab').then((module) => module.ConfigurationTab),
);
const TriggersTab = tab(() => import('@/components/functions/triggers-tab').then((module) => module.TriggersTab));
const InvocationsTab = tab(() =>
  import('@/components/functions/invocations-tab').then((module) => module.InvocationsTab),
);
const VersionsTab = tab(() => import('@/components/functions/versions-tab').then((module) => module.VersionsTab));
const MetricsTab = tab(() => import('@/components/functions/metrics-tab').then((module) => module.MetricsTab));

/** A function: its code in an editor, configuration, triggers, history, versions and metrics. */
export default function FunctionPage() {
  const { function: id } = useParams<{ function: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useFunctionActions({ onDeleted: () => router.push(paths.functions(project.slug)) });
  const query = api.useQuery('get', '/api/v1/functions/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      full
      of={functions}
      query={query}
      get={getFunction}
      facts={(of) => [
        ['Runtime', of.template_id],
        ['Version', String(of.version)],
        ['Memory', `${of.memory_mb} MB`],
        ['Last invoked', of.last_invoked_at === null ? 'Never' : <Time key="last" at={of.last_invoked_at} />],
      ]}
      actions={actionsOf}
      tabs={(of) => [
        { name: 'code', label: 'Code', content: () => <CodeTab key={of.id} of={of} /> },
        {
          name: 'configuration',
          label: 'Configuration',
          // Another version begins with its own values.
          content: () => <ConfigurationTab key={of.version} of={of} />,
        },
        { name: 'triggers', label: 'Triggers', content: () => <TriggersTab key={of.version} of={of} /> },
        { name: 'invocations', label: 'Invocations', content: () => <InvocationsTab of={of} /> },
        { name: 'versions', label: 'Versions', content: () => <VersionsTab of={of} /> },
        { name: 'metrics', label: 'Metrics', content: () => <MetricsTab of={of} /> },
        activityTab(id),
      ]}
    />
  );
}
