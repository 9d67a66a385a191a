'use client';

import { CircleSlash, Play, Trash2 } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { type Action, ActionMenu } from '@/components/kit/table/row-actions';
import { Badge } from '@/components/kit/ui/badge';
import { TextLink } from '@/components/network/text-link';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type DesiredMember, isMember, withMembers } from './desired-state';
import { type Listener, type LoadBalancer, type Member, memberStatusOf, type Pool, whyNotChange } from './types';
import { useReplace } from './use-replace';
import { sharesOf } from './weights';

interface MemberTableProps {
  balancer: LoadBalancer;
  listener: Listener;
  pool: Pool;
}

/** The members of a pool: state, weight, and actions for each. */
export function MemberTable({ balancer, listener, pool }: MemberTableProps) {
  const actionsOf = useMemberActions(balancer, listener);
  const shares = sharesOf(pool.members);
  return (
    <table className="w-full text-sm max-sm:block">
      <caption className="sr-only">Members of pool {pool.name}</caption>
      <thead className="max-sm:sr-only">
        <tr className="*:h-9 *:border-b *:bg-sunken *:px-4 *:text-left *:font-medium *:text-ink-muted *:text-xs">
          <th scope="col">Member</th>
          <th scope="col">Status</th>
          <th scope="col">Weight</th>
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block sm:[&>tr>td]:px-4 sm:[&>tr>td]:py-2 sm:[&>tr>td]:align-top">
        {pool.members.map((member, position) => (
          // On a phone, each row is a stack: the name and the menu on one line, the other values below.
          <tr
            key={member.id}
            className="not-last:border-b max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3"
          >
            <td className="min-w-0">
              <MemberName member={member} />
              <span className="block font-mono text-ink-muted text-xs">
                {member.address}:{member.port}
              </span>
            </td>
            <td className="max-sm:col-span-2">
              <StatusBadge status={memberStatusOf(member)} />
              <span className="mt-0.5 block text-ink-muted text-xs">
                Since <Time at={member.last_change_at} />
              </span>
              {member.status_reason && (
                <span className="block text-ink-muted text-xs wrap-anywhere">{member.status_reason}</span>
              )}
            </td>
            <td className="tabular-nums max-sm:col-span-2">
              <span className="text-ink-muted text-xs sm:hidden">Weight </span>
              {member.weight} <span className="text-ink-muted text-xs">{shares[position]}</span>
            </td>
            <td className="text-right max-sm:col-start-2 max-sm:row-start-1">
              <ActionMenu name={member.name} actions={actionsOf(member)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function MemberName({ member: { name, instance_id, backup } }: { member: Member }) {
  const { project } = useProject();
  return (
    <span className="flex flex-wrap items-center gap-2 wrap-anywhere">
      {instance_id === null ? (
        <span className="font-medium">{name}</span>
      ) : (
        <TextLink href={paths.instance(project.slug, instance_id)} strong>
          {name}
        </TextLink>
      )}
      {backup && <Badge>Backup</Badge>}
    </span>
  );
}

function useMemberActions(balancer: LoadBalancer, { port }: Listener): (member: Member) => Action[] {
  const refusal = useRefusal();
  const replace = useReplace(balancer.id);
  const reason = refusal('replaceLoadBalancer') ?? whyNotChange(balancer);
  return (member) => {
    const { name, weight, address, instance_id } = member;
    const setWeight = (next: number) =>
      replace((state) =>
        withMembers(state, port, (members) =>
          members.map((wanted) => (isMember(member)(wanted) ? { ...wanted, weight: next } : wanted)),
        ),
      );
    const without = (members: readonly DesiredMember[]) => members.filter((wanted) => !isMember(member)(wanted));
    const drained = weight === 0;
    return [
      drained
        ? {
            label: 'End drain',
            icon: Play,
            disabledReason: reason,
            confirmation: {
              title: `End the drain of ${name}?`,
              consequence: 'Weight 0 → 1. The member gets new connections again.',
              confirmLabel: 'End drain',
              harmless: true,
              onConfirm: () => setWeight(1),
            },
          }
        : {
            label: 'Drain',
            icon: CircleSlash,
            disabledReason: reason,
            confirmation: {
              title: `Drain ${name}?`,
              consequence: `Weight ${weight} → 0. Open connections continue; new connections go to the other members.`,
              confirmLabel: 'Drain member',
              harmless: true,
              onConfirm: () => setWeight(0),
            },
          },
      {
        label: 'Remove',
        icon: Trash2,
        danger: true,
        disabledReason: reason,
        confirmation: {
          title: `Remove ${name} from the pool?`,
          consequence: `${address} gets no new connections. Open connections continue until they are closed.${
            instance_id === null ? '' : ' The instance stays.'
          }`,
          confirmLabel: 'Remove member',
          onConfirm: () => replace((state) => withMembers(state, port, without)),
        },
      },
    ];
  };
}
