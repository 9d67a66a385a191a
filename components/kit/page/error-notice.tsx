'use client';

import { CircleAlert, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/kit/data/copy-button';
import { Button } from '@/components/kit/ui/button';
import { ApiError } from '@/lib/client/errors';
import { useRealm } from './place';

/** What a reader can do about it, by the code of the API. */
const advice: Record<string, string> = {
  CONNECTION_LOST: 'Check your connection. This page reconnects automatically.',
  FORBIDDEN: 'Your role in this project does not allow this. Ask a project admin for another role.',
  TENANT_SUSPENDED: 'This project is suspended. Contact the platform administrators.',
  RESOURCE_NOT_FOUND: 'It may have been deleted, or it belongs to another project.',
  CONFLICT: 'Check the current state, then try again.',
  PRECONDITION_FAILED: 'Someone else changed it. Reload to see the current values.',
  QUOTA_EXCEEDED: 'Delete unused resources, or ask an administrator for a higher limit.',
  BUDGET_FROZEN: 'A project admin can raise the budget or add credit, with immediate effect.',
  RATE_LIMITED: 'Wait a moment, then try again.',
  INTERNAL_ERROR: 'Try again. If it happens again, send the request ID to your operator.',
  ENGINE_UNAVAILABLE: 'A platform operator has to fix this.',
  CAPACITY_EXHAUSTED: 'Nothing was created. Try a smaller size or try later.',
};

/** The same in the back office, where its reader is the one whom others ask. */
const adminAdvice: Record<string, string> = {
  ...advice,
  FORBIDDEN: 'Two-factor authentication may be missing. See Your account.',
  RESOURCE_NOT_FOUND: 'It may have been deleted.',
  INTERNAL_ERROR: 'Try again. If it happens again, search the server log for the request ID.',
  ENGINE_UNAVAILABLE: 'Open Engines to see what is missing.',
};

interface ErrorNoticeProps {
  error: unknown;
  /** What was tried: "The secrets could not be loaded". */
  title: string;
  onRetry?: () => void;
  children?: ReactNode;
}

/** What happened, what to do about it, and the request id to quote. */
export function ErrorNotice({ error, title, onRetry, children }: ErrorNoticeProps) {
  const known = error instanceof ApiError ? error : undefined;
  const advices = useRealm() === 'backoffice' ? adminAdvice : advice;
  const next = known && advices[known.code];
  const Icon = known?.code === 'CONNECTION_LOST' ? Unplug : CircleAlert;
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-critical/35 bg-critical-soft p-4 text-sm">
      <Icon className="mt-0.5 size-4 shrink-0 text-critical-ink" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        <p className="mt-0.5 text-pretty text-ink-muted">{known?.message ?? 'This page failed to load.'}</p>
        {next && <p className="mt-1 text-pretty text-ink-muted">{next}</p>}
        {children}
        {(known?.requestId || onRetry) && (
          <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
            {onRetry && (
              <Button size="sm" onClick={onRetry}>
                Try again
              </Button>
            )}
            {known?.requestId && <RequestId id={known.requestId} />}
          </div>
        )}
      </div>
    </div>
  );
}

/** The id under which the server's log knows a request. */
export function RequestId({ id }: { id: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-ink-muted text-xs">
      Request ID <code className="break-all font-mono">{id}</code>
      <CopyButton value={id} label="request ID" />
    </span>
  );
}
