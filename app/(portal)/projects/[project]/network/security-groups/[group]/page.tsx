'use client';

import { Server } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useParams, useRouter } from 'next/navigation';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { Badge } from '@/components/kit/ui/badge';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { PortsTable } from '@/components/network/ports-table';
import { RuleList } from '@/components/network/rule-list';
import type { SecurityGroup } from '@/components/network/rules';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const RuleEditor = dynamic(() => import('@/components/network/rule-editor').then((module) => module.RuleEditor), {
  ssr: false,
  loading: () => <Skeleton className="h-96 w-full" />,
});

/** One security group: its rules in words, an editor for more, and what follows them. */
export default function SecurityGroupPage() {
  const { group: id } = useParams<{ group: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/network/security-groups/{id}', { params: { path: { id } } });
  const group = query.data;
  return (
    <Page
      title={group?.name ?? 'Security group'}
      description={group?.description || undefined}
      badge={
        group && (
          <>
            {group.is_default && <Badge>Default</Badge>}
            <Badge tone={group.port_count > 0 ? 'positive' : 'neutral'}>
              {group.port_count > 0 ? `Applied to ${formatCount(group.port_count, 'port')}` : 'Not in use'}
            </Badge>
          </>
        )
      }
      actions={group && <GroupMenu group={group} />}
    >
      <Loaded query={query} what="The security group" skeleton={<Skeleton className="h-80 w-full" />}>
        {(loaded) => <GroupParts group={loaded} />}
      </Loaded>
    </Page>
  );
}

function GroupMenu({ group }: { group: SecurityGroup }) {
  const { project } = useProject();
  const router = useRouter();
  const actionsOf = useSecurityGroupActions({ onDeleted: () => router.push(paths.securityGroups(project.slug)) });
  return <ActionMenu name={group.name} actions={actionsOf(group)} labelled />;
}

function GroupParts({ group }: { group: SecurityGroup }) {
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
      <section aria-labelledby="ports" className="min-w-0 lg:col-span-2">
        <h2 id="ports" className="mb-3 font-semibold text-base">
          Ports with this group
        </h2>
        <PortsTable
          of={{ security_group_id: group.id }}
          empty={
            <EmptyState icon={Server} title="No ports use this group">
              Choose this group when you create an instance, or add it to a port.
            </EmptyState>
          }
        />
      </section>
    </div>
  );
}
