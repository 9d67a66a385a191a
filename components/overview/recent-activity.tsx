'use client';

import { actionWords } from '@/components/audit/action-words';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';

/** What people and tokens changed in the project lately. */
export function RecentActivity() {
  const list = useList('/api/v1/activity', { limit: 8 });
  const rows = list.data?.rows;
  return (
    <Card title="Recent activity">
      {rows?.length === 0 ? (
        <p className="text-ink-muted text-sm">No activity yet. Changes in this project appear here.</p>
      ) : rows ? (
        <ul className="-my-2 divide-y text-sm">
          {rows.map((entry) => (
            <li key={entry.id} className="flex items-baseline justify-between gap-4 py-2">
              <span className="min-w-0 break-words">
                <span className="font-medium">{entry.actor_name}</span>{' '}
                <span className="text-ink-muted">{actionWords(entry.action)}</span> {entry.resource_name}
              </span>
              <span className="shrink-0 text-ink-muted text-xs">
                <Time at={entry.at} />
              </span>
            </li>
          ))}
        </ul>
      ) : list.error ? (
        <ErrorNotice title="The activity could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <div className="space-y-3" aria-busy="true">
          {['one', 'two', 'three'].map((line) => (
            <Skeleton key={line} className="h-4 w-full max-w-xl" />
          ))}
        </div>
      )}
    </Card>
  );
}
