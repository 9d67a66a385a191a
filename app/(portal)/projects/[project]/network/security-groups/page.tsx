'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { securityGroups } from '@/components/network/domain';
import { exposedBy, listed, type SecurityGroup, sayRule } from '@/components/network/rules';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { createSecurityGroup, listSecurityGroups } from '@/lib/client/operations/network';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';

const column = columnsOf<SecurityGroup>();
const columns = [
  nameColumn<SecurityGroup>({
    href: paths.securityGroup,
    badge: ({ is_default }) => is_default && <Badge>Default</Badge>,
  }),
  column.accessor('rules', {
    header: 'Inbound',
    cell: ({ getValue }) => <Inbound rules={getValue()} />,
  }),
  column.display({
    id: 'rule_count',
    header: 'Rules',
    meta: { align: 'right', from: 'md' },
    cell: ({ row: { original } }) => original.rules.length,
  }),
  column.accessor('port_count', { header: 'Ports', meta: { align: 'right' } }),
  createdColumn<SecurityGroup>({ from: 'lg' }),
];

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

/** The project's security groups, and the traffic that each allows. */
export default function SecurityGroupsPage() {
  return (
    <ResourceList
      of={securityGroups}
      list={listSecurityGroups}
      command={createSecurityGroup}
      about="Firewall rules for instances. Traffic that no rule allows is dropped; replies to allowed traffic always pass."
      empty="A security group is a set of firewall rules. Changes take effect immediately on every instance that uses it."
      columns={columns}
      actions={useSecurityGroupActions()}
    />
  );
}
