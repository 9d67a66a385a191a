'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Badge } from '@/components/kit/ui/badge';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { securityGroups } from '@/components/network/domain';
import { PortsOf } from '@/components/network/ports-table';
import { RuleList } from '@/components/network/rule-list';
import type { SecurityGroup } from '@/components/network/rules';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { useList } from '@/lib/client/list';
import { getSecurityGroup } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const RuleEditor = lazyComponent(
  () => import('@/components/network/rule-editor').then((module) => module.RuleEditor),
  () => <Skeleton className="h-96 w-full" />,
);

/** One security group: its rules in words, an editor for more, and the ports that it applies to. */
export default function SecurityGroupPage() {
  const { group: id } = useParams<{ group: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useSecurityGroupActions({ onDeleted: () => router.push(paths.securityGroups(project.slug)) });
  const query = api.useQuery('get', '/api/v1/network/security-groups/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={securityGroups}
      query={query}
      get={getSecurityGroup}
      description={({ description }) => description || undefined}
      badge={(group) => <Badges group={group} />}
      actions={actionsOf}
      facts={({ rules }) => [
        ['Inbound rules', formatNumber(rules.filter(({ direction }) => direction === 'ingress').length)],
        ['Outbound rules', formatNumber(rules.filter(({ direction }) => direction === 'egress').length)],
      ]}
      tabs={(group) => [
        { name: 'overview', label: 'Overview', content: () => <Rules group={group} /> },
        {
          name: 'ports',
          label: 'Ports',
          content: () => (
            <PortsOf
              security_group_id={id}
              emptyTitle="No ports use this group"
              empty="Choose this group when you create an instance, or add it to a port."
            />
          ),
        },
        activityTab(id),
      ]}
    />
  );
}

function Badges({ group: { is_default, port_count } }: { group: SecurityGroup }) {
  return (
    <>
      {is_default && <Badge>Default</Badge>}
      <Badge tone={port_count > 0 ? 'positive' : 'neutral'}>
        {port_count > 0 ? `Applied to ${formatCount(port_count, 'port')}` : 'Not in use'}
      </Badge>
    </>
  );
}

function Rules({ group }: { group: SecurityGroup }) {
  const networks = useList('/api/v1/network/networks', { limit: 200 });
  const names = new Map(networks.data?.rows.map(({ cidr, name }) => [cidr, name]));
  return (
    <div className="grid items-start gap-x-6 gap-y-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0 space-y-5">
        <RuleList group={group} direction="ingress" networks={names} />
        <RuleList group={group} direction="egress" networks={names} />
      </div>
      <aside className="lg:sticky lg:top-20">
        <RuleEditor group={group} networks={names} />
      </aside>
    </div>
  );
}
