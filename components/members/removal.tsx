'use client';

import { Skeleton } from '@/components/ui/skeleton';
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
          ? `You lose the role ${role} and see nothing of this project any more, from now on.`
          : `${user.email} loses the role ${role} and sees nothing of this project any more, from now on.`}
      </p>
      <EndingTokens userId={user.id} />
      <p>What {self ? 'you' : 'they'} made in the project stays. So does the account, with its other projects.</p>
    </>
  );
}

/** Enough to name; with more of them a number says it. */
const NAMED = 5;

function EndingTokens({ userId }: { userId: string }) {
  const tokens = useList('/api/v1/identity/tokens', { user_id: userId, limit: 200 });
  if (tokens.error) return <p>All their API tokens of this project end.</p>;
  if (!tokens.data) return <Skeleton className="h-4 w-3/4" />;
  const { rows, next } = tokens.data;
  if (rows.length === 0) return <p>No API token ends with it: there is none.</p>;
  const names = rows.slice(0, NAMED).map(({ name }) => name);
  const others = rows.length - names.length;
  return (
    <p>
      <strong className="font-medium text-ink">
        {next
          ? 'More than 200 API tokens end'
          : `${formatCount(rows.length, 'API token')} ${rows.length === 1 ? 'ends' : 'end'}`}
      </strong>{' '}
      with it: {names.join(', ')}
      {others > 0 && ` and ${others} more`}. Whatever uses them will fail.
    </p>
  );
}
