import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type SecurityGroup, sayRule } from './rules';
import { TextLink } from './text-link';
import type { Port } from './types';

const PortGroupsDialog = lazyComponent(() => import('./port-groups-dialog').then((module) => module.PortGroupsDialog));

/** The groups of a port with what they let through; with none, nothing passes. */
export function PortGroups({ port }: { port: Port }) {
  const may = useMay('changePort');
  const [changing, setChanging] = useState(false);
  const all = useList('/api/v1/network/security-groups', { limit: 200 }).data?.rows ?? [];
  const carried = all.filter(({ id }) => port.security_group_ids.includes(id));
  return (
    <Card
      title="Security groups"
      description={
        port.security_group_ids.length === 0
          ? 'Without a security group, all traffic is dropped.'
          : 'The rules of all groups apply.'
      }
      actions={
        <DisabledReason reason={may.reason}>
          <Button onClick={() => setChanging(true)}>Change security groups</Button>
        </DisabledReason>
      }
    >
      <ul aria-label="Security groups" className="space-y-3 text-sm empty:hidden">
        {carried.map((group) => (
          <GroupLine key={group.id} group={group} />
        ))}
      </ul>
      {changing && <PortGroupsDialog port={port} groups={all} close={() => setChanging(false)} />}
    </Card>
  );
}

function GroupLine({ group: { id, name, rules } }: { group: SecurityGroup }) {
  const { project } = useProject();
  return (
    <li>
      <TextLink href={paths.securityGroup(project.slug, id)} strong>
        {name}
      </TextLink>
      <ul className="mt-0.5 text-ink-muted text-xs">
        {rules.map((rule) => (
          <li key={rule.id}>{sayRule(rule)}</li>
        ))}
        {rules.length === 0 && <li>No rules.</li>}
      </ul>
    </li>
  );
}
