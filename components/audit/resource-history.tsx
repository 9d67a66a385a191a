'use client';

import type { ReactNode } from 'react';
import { actionWords } from '@/components/audit/action-words';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { type List, useList } from '@/lib/client/list';
import { formatDuration } from '@/lib/format/time';

/** Entries shown per list. */
const SHOWN = 50;

/** The operations and the activity of one resource. */
export function ResourceHistory({ id }: { id: string }) {
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      <WhatPlatformDid id={id} />
      <WhatPeopleDid id={id} />
    </div>
  );
}

function WhatPlatformDid({ id }: { id: string }) {
  const list = useList('/api/v1/operations', { resource_id: id, limit: SHOWN });
  return (
    <Card title="Operations" description="Tasks that the platform ran.">
      <Entries list={list} what="The operations" none="None yet.">
        {(operation) => (
          <>
            <span className="min-w-0">
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{verbOf(operation.kind)}</span>
                <StatusBadge status={operation.status} />
                {operation.finished_at && (
                  <span className="text-ink-muted text-xs tabular-nums">
                    took {formatDuration(Date.parse(operation.finished_at) - Date.parse(operation.created_at))}
                  </span>
                )}
              </span>
              {operation.error && <span className="mt-0.5 block text-pretty text-ink-muted">{operation.error}</span>}
              {operation.request_id && (
                <span className="mt-0.5 block text-ink-muted text-xs">
                  Request <Id value={operation.request_id} label="request ID" />
                </span>
              )}
            </span>
            <span className="shrink-0 text-ink-muted text-xs">
              <Time at={operation.created_at} />
            </span>
          </>
        )}
      </Entries>
    </Card>
  );
}

function WhatPeopleDid({ id }: { id: string }) {
  const list = useList('/api/v1/activity', { resource_id: id, limit: SHOWN });
  return (
    <Card title="Activity" description="Changes made by users and tokens.">
      <Entries list={list} what="The activity" none="None yet.">
        {(entry) => (
          <>
            <span className="min-w-0 break-words">
              <span className="font-medium">{entry.actor_name}</span>{' '}
              <span className="text-ink-muted">{actionWords(entry.action)}</span> {entry.resource_name}
            </span>
            <span className="shrink-0 text-ink-muted text-xs">
              <Time at={entry.at} />
            </span>
          </>
        )}
      </Entries>
    </Card>
  );
}

interface EntriesProps<R> {
  list: List<R>;
  what: string;
  none: string;
  children: (row: R) => ReactNode;
}

function Entries<R extends { id: string }>({ list, what, none, children }: EntriesProps<R>) {
  const rows = list.data?.rows;
  if (rows === undefined) {
    if (list.error) {
      return (
        <ErrorNotice title={`${what} could not be loaded`} error={list.error} onRetry={() => void list.refetch()} />
      );
    }
    return (
      <div className="space-y-3" aria-busy="true">
        {['one', 'two', 'three'].map((line) => (
          <Skeleton key={line} className="h-4 w-full" />
        ))}
      </div>
    );
  }
  return (
    <ul className="-my-2 divide-y text-sm">
      {rows.map((row) => (
        <li key={row.id} className="flex items-baseline justify-between gap-4 py-2">
          {children(row)}
        </li>
      ))}
      {rows.length === 0 && <li className="py-2 text-ink-muted">{none}</li>}
      {list.data?.next && <li className="py-2 text-ink-muted">Earlier entries are not shown.</li>}
    </ul>
  );
}

/** `instance.create` → `Create`. */
function verbOf(kind: string): string {
  const verb = kind.slice(kind.indexOf('.') + 1).replaceAll('_', ' ');
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}
