'use client';

import { LaptopMinimal, LogOut, Terminal } from 'lucide-react';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { deviceOf } from '@/lib/format/device';

interface Session {
  id: string;
  kind: 'browser' | 'access_token';
  current: boolean;
  address: string;
  user_agent: string;
  last_seen_at: string;
  created_at: string;
}

interface SessionsCardProps {
  sessions: readonly Session[] | undefined;
  error: unknown;
  retry: () => void;
  end: (id: string) => Promise<unknown>;
  /** Ends all, this one too. */
  endAll: () => Promise<unknown>;
}

/** Where one is signed in, each session to be ended at once. */
export function SessionsCard({ sessions, error, retry, end, endAll }: SessionsCardProps) {
  const confirm = useConfirm();
  return (
    <Card
      title="Sessions"
      description="Where you are signed in. Ended sessions stop working immediately."
      actions={
        <Button
          onClick={() =>
            confirm({
              title: 'Sign out everywhere?',
              consequence: 'All your sessions end, including this one. API tokens keep working.',
              confirmLabel: 'Sign out everywhere',
              harmless: true,
              onConfirm: endAll,
            })
          }
        >
          <LogOut /> Sign out everywhere
        </Button>
      }
    >
      {sessions ? (
        <ul aria-label="Sessions" className="-my-3 divide-y">
          {sessions.map((session) => (
            <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
              {session.kind === 'browser' ? (
                <LaptopMinimal className="size-5 text-ink-subtle" aria-hidden="true" />
              ) : (
                <Terminal className="size-5 text-ink-subtle" aria-hidden="true" />
              )}
              <div className="min-w-0 flex-1 text-sm">
                <p className="flex flex-wrap items-center gap-2 font-medium" title={session.user_agent}>
                  {session.kind === 'browser'
                    ? deviceOf(session.user_agent)
                    : `Access token, ${deviceOf(session.user_agent)}`}
                  {session.current && <Badge tone="positive">This session</Badge>}
                </p>
                <p className="text-ink-muted text-xs">
                  {session.address} · signed in <Time at={session.created_at} /> · last seen{' '}
                  <Time at={session.last_seen_at} />
                </p>
              </div>
              {!session.current && (
                <Button size="sm" onClick={() => void end(session.id)}>
                  End session
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : error ? (
        <ErrorNotice title="The sessions could not be loaded" error={error} onRetry={retry} />
      ) : (
        <Skeleton className="h-10 w-full" />
      )}
    </Card>
  );
}
