'use client';

import { StatusBadge } from '@/components/kit/data/status-badge';
import { Badge } from '@/components/kit/ui/badge';
import { Card } from '@/components/kit/ui/card';
import { formatBytes } from '@/lib/format/size';
import { engineLooks } from './engine-look';
import { isServing, servingFirst } from './members';
import { type Cluster, type Member, memberStatusOf, roleLabels } from './types';

/** The members of a cluster with role, status and lag, as they change. */
export function MembersCard({ cluster }: { cluster: Cluster }) {
  const { members, engine, highly_available, preview } = cluster;
  const description = highly_available
    ? engineLooks[engine].availability
    : `A single member${preview === null ? '' : ' (preview)'}: nothing takes over while it is down. It restarts automatically.`;
  if (members.length === 0) {
    return <Card title="Members" description="The members appear here when they start." />;
  }
  return (
    <Card title="Members" description={description} flush>
      <table className="w-full text-sm max-sm:block" aria-live="polite">
        <caption className="sr-only">Members of {cluster.name}</caption>
        <thead className="max-sm:sr-only">
          <tr className="*:h-9 *:border-b *:bg-sunken *:px-4 *:text-left *:font-medium *:text-ink-muted *:text-xs">
            <th scope="col">Member</th>
            <th scope="col">Role</th>
            <th scope="col">Status</th>
            <th scope="col">Version</th>
            <th scope="col">Lag</th>
          </tr>
        </thead>
        <tbody className="max-sm:block sm:[&>tr>td]:px-4 sm:[&>tr>td]:py-2 sm:[&>tr>td]:align-top">
          {servingFirst(cluster).map((member) => (
            <MemberRow key={member.name} member={member} serves={isServing(cluster, member)} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function MemberRow({ member, serves }: { member: Member; serves: boolean }) {
  const { name, role, version, status_reason } = member;
  return (
    // On a phone, each row is a stack: the name and the role on one line, the other values below.
    <tr className="not-last:border-b max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3">
      <td className="min-w-0 font-medium wrap-anywhere">{name}</td>
      <td>
        <Badge tone={role === 'primary' && serves ? 'accent' : 'neutral'}>{roleLabels[role]}</Badge>
      </td>
      <td className="max-sm:col-span-2">
        <StatusBadge status={memberStatusOf(member)} />
        {status_reason && <span className="mt-0.5 block text-ink-muted text-xs wrap-anywhere">{status_reason}</span>}
      </td>
      <td className="tabular-nums">
        <span className="text-ink-muted text-xs sm:hidden">Version </span>
        {version}
        {!serves && <span className="block text-ink-muted text-xs">Does not serve</span>}
      </td>
      <td className="tabular-nums">
        <span className="text-ink-muted text-xs sm:hidden">Lag </span>
        <Lag member={member} />
      </td>
    </tr>
  );
}

function Lag({ member: { role, lag_bytes } }: { member: Member }) {
  if (role === 'primary' || role === 'sentinel') return <span className="text-ink-subtle">–</span>;
  if (lag_bytes === null) return <span className="text-ink-subtle">Unknown</span>;
  return lag_bytes === 0 ? 'None' : formatBytes(lag_bytes);
}
