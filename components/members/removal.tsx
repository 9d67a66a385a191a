'use client';

import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Row } from '@/lib/client/list';
import { useList } from '@/lib/client/list';
import { formatCount } from '@/lib/format/quantity';
import { roleLabel } from './roles';

interface RemovalProps {
  user: Row<'/api/v1/identity/users'>;
  /** The reader removes themselves. */
  self: boolean;
}

/** What ends when a user leaves the project, and what stays. */
export function Removal({ user, self }: RemovalProps) {
  const role = roleLabel(user.roles[0] ?? 'reader');
  return (
    <>
      <p>
        {self
          ? `You lose the ${role} role and all access to this project immediately.`
          : `${user.email} loses the ${role} role and all access to this project immediately.`}
      </p>
      <EndingTokens userId={user.id} />
      <p>Resources that {self ? 'you' : 'they'} created stay. So do the account and its other projects.</p>
    </>
  );
}

/** Enough to name; with more of them a number says it. */
const NAMED = 5;

function EndingTokens({ userId }: { userId: string }) {
  const tokens = useList('/api/v1/identity/tokens', { user_id: userId, limit: 200 });
  if (tokens.error) return <p>All their API tokens for this project are revoked.</p>;
  if (!tokens.data) return <Skeleton className="h-4 w-3/4" />;
  const { rows, next } = tokens.data;
  if (rows.length === 0) return <p>There are no API tokens to revoke.</p>;
  const names = rows.slice(0, NAMED).map(({ name }) => name);
  const others = rows.length - names.length;
  return (
    <p>
      <strong className="font-medium text-ink">
        {next
          ? 'More than 200 API tokens are revoked'
          : `${formatCount(rows.length, 'API token')} ${rows.length === 1 ? 'is' : 'are'} revoked`}
      </strong>
      : {names.join(', ')}
      {others > 0 && ` and ${others} more`}. Applications that use them will fail.
    </p>
  );
}
