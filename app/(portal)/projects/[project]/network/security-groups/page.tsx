'use client';

import { BrickWallShield } from 'lucide-react';
import { Time } from '@/components/kit/data/time';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Badge } from '@/components/kit/ui/badge';
import { exposedBy, listed, type SecurityGroup, sayRule } from '@/components/network/rules';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { TextLink } from '@/components/network/text-link';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const column = columnsOf<SecurityGroup>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <NameCell group={original} />,
  }),
  column.accessor('rules', {
    header: 'Inbound',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Inbound rules={getValue()} />,
  }),
  column.display({
    id: 'rule_count',
    header: 'Rules',
    meta: { align: 'right', from: 'md' },
    cell: ({ row: { original } }) => original.rules.length,
  }),
  column.accessor('port_count', { header: 'Ports', meta: { align: 'right' } }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function NameCell({ group: { id, name, description, is_default } }: { group: SecurityGroup }) {
  const { project } = useProject();
  return (
    <span>
      <span className="flex flex-wrap items-center gap-2">
        <TextLink href={paths.securityGroup(project.slug, id)} strong>
          {name}
        </TextLink>
        {is_default && <Badge>Default</Badge>}
      </span>
      {description && <span className="block max-w-xs truncate text-ink-muted text-xs">{description}</span>}
    </span>
  );
}

/** A summary of the group's inbound rules, with a warning where one is open to the internet and should not be. */
function Inbound({ rules }: Pick<SecurityGroup, 'rules'>) {
  const inbound = rules.filter(({ direction }) => direction === 'ingress');
  const exposed = [...new Set(inbound.flatMap(exposedBy))];
  const [first] = inbound;
  if (!first) return <span className="text-ink-muted">None</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {inbound.length === 1 ? sayRule(first) : formatCount(inbound.length, 'inbound rule')}
      {exposed.length > 0 && <Badge tone="caution">{listed(exposed)} open to the internet</Badge>}
    </span>
  );
}

/** The project's security groups, and what each lets in. */
export default function SecurityGroupsPage() {
  const { project } = useProject();
  const state = useTableState();
  const list = useList('/api/v1/network/security-groups', state.query);
  const actionsOf = useSecurityGroupActions();

  const create = (
    <CreateLink
      label="Create security group"
      href={paths.newSecurityGroup(project.slug)}
      operation="createSecurityGroup"
    />
  );
  return (
    <Page
      title="Security groups"
      description="Firewall rules for instances. Traffic that no rule allows is dropped; replies to allowed traffic always pass."
      actions={create}
    >
      <DataTable
        noun="security group"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        actions={actionsOf}
        empty={
          <EmptyState icon={BrickWallShield} title="No security groups yet" action={create}>
            A security group is a set of firewall rules. Changes take effect immediately on every instance that uses it.
          </EmptyState>
        }
      />
    </Page>
  );
}
