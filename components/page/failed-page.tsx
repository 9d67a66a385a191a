'use client';

import { unstable_rethrow } from 'next/navigation';
import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { ApiError } from '@/lib/client/errors';
import { RequestId } from './error-notice';

interface FailedPageProps {
  error: unknown;
  retry: () => void;
}

/** What is shown in place of a page that could not be drawn. */
export function FailedPage({ error, retry }: FailedPageProps) {
  unstable_rethrow(error);
  useEffect(() => console.error(error), [error]);
  const reference = referenceOf(error);
  return (
    <div role="alert">
      <title>Something went wrong · Nephele</title>
      <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl tracking-[-0.017em]">
        This page could not be shown
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">
        {error instanceof ApiError
          ? error.message
          : 'Something in it went wrong. What you did before is safe: pages only show what the platform holds.'}
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </div>
      {reference && (
        <div className="mt-6 border-t pt-4">
          <p className="mb-1 text-ink-muted text-xs">If it happens again, tell your operator:</p>
          <RequestId id={reference} />
        </div>
      )}
    </div>
  );
}

/** What finds the failure in the server's log: the request's id, or the digest that stands there with the error. */
function referenceOf(error: unknown): string | undefined {
  if (error instanceof ApiError) return error.requestId;
  if (error instanceof Error && 'digest' in error && typeof error.digest === 'string') return error.digest;
  return undefined;
}
