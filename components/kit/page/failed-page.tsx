'use client';

import { unstable_rethrow } from 'next/navigation';
import { useEffect } from 'react';
import { buttonLook } from '@/components/kit/ui/button-look';
import { ApiError } from '@/lib/client/errors';

interface FailedPageProps {
  error: unknown;
  retry: () => void;
}

/** What is shown in place of a page that could not be drawn. Loaded with every page, so it brings nothing along. */
export function FailedPage({ error, retry }: FailedPageProps) {
  unstable_rethrow(error);
  useEffect(() => console.error(error), [error]);
  const reference = referenceOf(error);
  return (
    <div role="alert">
      <title>Something went wrong · Nephele</title>
      <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl tracking-[-0.017em]">
        This page could not be displayed
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">
        {error instanceof ApiError ? error.message : 'Your data is safe. Only displaying it failed.'}
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <button type="button" className={buttonLook({ variant: 'primary' })} onClick={retry}>
          Try again
        </button>
        <button type="button" className={buttonLook({})} onClick={() => window.location.reload()}>
          Reload
        </button>
      </div>
      {reference && (
        <p className="mt-6 border-t pt-4 text-ink-muted text-xs">
          If it happens again, send this request ID to your operator:{' '}
          <code className="select-all break-all font-mono text-ink">{reference}</code>
        </p>
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
